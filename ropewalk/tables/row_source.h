#pragma once

#include "ropewalk/encoding/spectrum.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/tables/rope_rows.h"

namespace ropewalk {

// What makes the rows that turn this way: backwards the sine has the other sign, and the inverse
// divides by attention_scaling. The source reads the spectrum's memory.
RowSource row_source(const Spectrum& spectrum, Direction direction);

}  // namespace ropewalk
