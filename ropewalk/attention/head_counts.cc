#include "ropewalk/attention/head_counts.h"

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

struct Counts {
  int64_t heads = 0, tokens = 0;
};

// Of an array that is none of q, nothing: its own error comes later.
Counts counts_of(const Dims& shape, TensorLayout layout) {
  if (shape.size() < 3) return {};
  const int64_t last = shape[shape.size() - 2], before = shape[shape.size() - 3];
  return layout == TensorLayout::bhsd ? Counts{before, last} : Counts{last, before};
}

int64_t expected_heads(const Layer& layer, const NamedHeads& heads) {
  return heads.of_keys ? layer.kv_heads : layer.heads;
}

}  // namespace

void check_not_transposed(const Layer& layer, const NamedHeads& heads, TensorLayout layout) {
  const Counts counts = counts_of(heads.shape, layout);
  const int64_t expected = expected_heads(layer, heads);
  if (layout == TensorLayout::thd || counts.heads == expected || counts.tokens != expected ||
      expected <= 1) {
    return;
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{}: expected {} heads in layout {}, found {} and {} tokens in shape {}: "
                  "is it {}? then give that layout",
                  heads.name, expected, name(layout), counts.heads, counts.tokens,
                  to_string(heads.shape),
                  name(layout == TensorLayout::bhsd ? TensorLayout::bshd : TensorLayout::bhsd)));
}

bool may_be_transposed(const Layer& layer, const Dims& shape, TensorLayout layout) {
  const Counts counts = counts_of(shape, layout);
  return layout != TensorLayout::thd && counts.tokens > 1 && counts.tokens != counts.heads &&
         (counts.tokens == layer.heads || counts.tokens == layer.kv_heads);
}

std::string strange_head_count(const Layer& layer, const NamedHeads& heads, TensorLayout layout) {
  const int64_t found = counts_of(heads.shape, layout).heads;
  const int64_t expected = expected_heads(layer, heads);
  if (found <= 0 || expected <= 0 || expected % found == 0) return "";
  if (heads.of_keys && layer.heads % found == 0) return "";
  return fmt::format("{}: expected {} heads, or a part of them on each device, found {}",
                     heads.name, expected, found);
}

}  // namespace ropewalk
