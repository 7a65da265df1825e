#pragma once

#include "ropewalk/attention/self_attention.h"

namespace ropewalk {

// Throws as forward says, before anything is computed.
void check_layer(const SelfAttention& self, const ConstTensorView& x, const TensorView& y);

// Something is there, if only without numbers.
inline bool is_present(const ConstTensorView& view) {
  return view.data != nullptr || !view.shape.empty();
}

}  // namespace ropewalk
