#pragma once

#include <string>
#include <string_view>

#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// q or k of a caller.
struct NamedHeads {
  std::string_view name;  // "q"
  const Dims& shape;
  bool of_keys = false;
};

// Refuses an array whose axis of tokens has as many entries as the layer has heads, and the axis of
// heads has not: it is of the other layout. Throws invalid_argument naming both counts.
void check_not_transposed(const Layer& layer, const NamedHeads& heads, TensorLayout layout);

// Whether the array may be of the other layout, bhsd for bshd: on its axis of tokens is a count of
// heads, of queries or keys, though the axis of heads may hold a part of them.
bool may_be_transposed(const Layer& layer, const Dims& shape, TensorLayout layout);

// "q: expected 32 heads, or a part of them on each device, found 31", where the count of heads is
// none that the layer has; "" where it may be right. Keys may be repeated for each query head.
std::string strange_head_count(const Layer& layer, const NamedHeads& heads, TensorLayout layout);

}  // namespace ropewalk
