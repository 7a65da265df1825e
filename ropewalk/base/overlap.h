#pragma once

#include "ropewalk/base/tensor_view.h"

namespace ropewalk {

// The same elements at the same addresses: what "in place" means.
bool same_view(const ConstTensorView& a, const ConstTensorView& b);

// False when it is certain that no byte belongs to both views. Sees through interleaved views such
// as q, k and v of one packed tensor; for stranger patterns it may say true without need.
bool may_overlap(const ConstTensorView& a, const ConstTensorView& b);

// True when two different indices of the view may name one address (a stride of 0, overlapping
// rows): such a view can be read but not written.
bool may_alias_itself(const ConstTensorView& view);

}  // namespace ropewalk
