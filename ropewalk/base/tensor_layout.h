#pragma once

#include <string_view>

#include "ropewalk/base/tensor_view.h"

namespace ropewalk {

// Order of the dimensions of q, k and v.
enum class TensorLayout {
  bshd,  // [batch, seq, heads, head_dim], or [seq, heads, head_dim] for one sequence
  bhsd,  // [batch, heads, seq, head_dim], or [heads, seq, head_dim]
  thd,  // [tokens, heads, head_dim]: tokens of one or more sequences, each with its own position id
};

std::string_view name(TensorLayout layout);

// Throws invalid_argument listing the names for any other text.
TensorLayout tensor_layout_from_name(std::string_view text);

// The view as [batch, seq, heads, head_dim] (batch 1 where there is none): what every kernel works
// on. Throws invalid_argument naming `what` for another rank.
ConstTensorView as_bshd(const ConstTensorView& view, TensorLayout layout, const char* what);
TensorView as_bshd(const TensorView& view, TensorLayout layout, const char* what);

}  // namespace ropewalk
