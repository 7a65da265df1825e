#include "ropewalk/encoding/layout_permutation.h"

#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

// The two channels of each pair, those of the first window first.
std::vector<std::pair<int64_t, int64_t>> pairs_of(const RotaryLayout& layout) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const RotaryWindow& window : layout.windows) {
    const bool interleaved = window.pairing == Pairing::interleaved;
    for (int64_t i = 0; i < window.dim / 2; ++i) {
      const int64_t first = window.offset + (interleaved ? 2 * i : i);
      pairs.emplace_back(first, first + (interleaved ? 1 : window.dim / 2));
    }
  }
  return pairs;
}

// The channels in no window.
std::vector<int64_t> others_of(const RotaryLayout& layout) {
  std::vector<bool> turns(static_cast<size_t>(layout.head_dim), false);
  for (const auto& [a, b] : pairs_of(layout)) {
    turns[static_cast<size_t>(a)] = turns[static_cast<size_t>(b)] = true;
  }
  std::vector<int64_t> others;
  for (size_t c = 0; c < turns.size(); ++c) {
    if (!turns[c]) others.push_back(static_cast<int64_t>(c));
  }
  return others;
}

}  // namespace

RotaryLayout with_pairing(RotaryLayout layout, Pairing pairing) {
  for (RotaryWindow& window : layout.windows) window.pairing = pairing;
  return layout;
}

std::vector<int64_t> permutation(const RotaryLayout& from, const RotaryLayout& to) {
  check_layout(from);
  check_layout(to);
  if (from.head_dim != to.head_dim || pair_count(from) != pair_count(to)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("rotary layouts: expected both of one head_dim and count of pairs, found {} "
                    "channels with {} pairs and {} with {}",
                    from.head_dim, pair_count(from), to.head_dim, pair_count(to)));
  }
  std::vector<int64_t> source(static_cast<size_t>(to.head_dim));
  const auto pairs_from = pairs_of(from), pairs_to = pairs_of(to);
  for (size_t i = 0; i < pairs_to.size(); ++i) {
    source[static_cast<size_t>(pairs_to[i].first)] = pairs_from[i].first;
    source[static_cast<size_t>(pairs_to[i].second)] = pairs_from[i].second;
  }
  const auto others_from = others_of(from), others_to = others_of(to);
  for (size_t i = 0; i < others_to.size(); ++i) {
    source[static_cast<size_t>(others_to[i])] = others_from[i];
  }
  return source;
}

}  // namespace ropewalk
