#pragma once

#include "python/native/arrays.h"

namespace ropewalk::python {

void bind_tables(nb::module_& m);
void bind_attention(nb::module_& m);
void bind_positions(nb::module_& m);
void bind_diagnose(nb::module_& m);

}  // namespace ropewalk::python
