#include "ropewalk/diagnose/dumps/sampling.h"

#include <algorithm>
#include <set>

namespace ropewalk {

using Place = DumpRows::Place;

std::vector<Place> sample_tokens(const PositionTable& positions, const std::vector<Place>& wrong,
                                 int64_t heads) {
  constexpr int64_t kMostRows = 4096, kMostTokens = 96, kLeastTokens = 32;
  const auto most = static_cast<size_t>(
      std::clamp(kMostRows / std::max<int64_t>(1, heads), kLeastTokens, kMostTokens));

  const int64_t batch = positions.batch, length = positions.length;
  const int64_t all = batch * length;
  std::set<int64_t> chosen;
  const auto add = [&](int64_t token) {
    if (token >= 0 && token < all && chosen.size() < most) chosen.insert(token);
  };
  if (all <= static_cast<int64_t>(most)) {
    for (int64_t token = 0; token < all; ++token) chosen.insert(token);
  }
  for (int64_t token = 0; token < 8; ++token) add(token);
  if (!wrong.empty()) {
    const int64_t first = wrong.front().b * length + wrong.front().s;
    for (int64_t token = first - 2; token < first + 6; ++token) add(token);
    for (size_t i = 0; i < 8; ++i) {
      const Place& at = wrong[i * wrong.size() / 8];
      add(at.b * length + at.s);
    }
  }
  for (int64_t b = 0; b < std::min<int64_t>(batch, 8); ++b) {
    add((b + 1) * length - 1);
    add(b * length + 1);
  }
  for (int64_t token = 8; token < all; token += token / 3) {
    add(token);
    add(token + 1);
  }
  for (int64_t i = 0; i < static_cast<int64_t>(most); ++i)
    add(i * all / static_cast<int64_t>(most));
  std::vector<Place> tokens;
  for (const int64_t token : chosen) tokens.push_back({token / length, token % length, 0});
  return tokens;
}

}  // namespace ropewalk
