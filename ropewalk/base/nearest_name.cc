#include "ropewalk/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace ropewalk {

size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j] is the distance of the part of `a` read so far to the first j bytes of `b`.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  std::string_view nearest;
  // A third of the word may differ: "mistral" is no slip for "llama". A word as long as a file is
  // none.
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  if (word.size() > 64) return "";
  for (const std::string_view name : names) {
    const size_t distance = edit_distance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest);
}

}  // namespace ropewalk
