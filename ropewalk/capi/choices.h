#pragma once

#include <cstdint>

#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/encoding/terms.h"

namespace ropewalk::capi {

// Of a ropewalk_layout.
TensorLayout layout_of(int32_t number);

// Of a ropewalk_alibi_form.
AlibiForm alibi_form_of(int32_t number, const char* name);

}  // namespace ropewalk::capi
