#include "ropewalk/conventions/layer_kinds.h"

#include <algorithm>
#include <iterator>

namespace ropewalk {

std::span<const LayerKind> kinds_of(const LayerRule& rule, bool alike) {
  static constexpr LayerKind kAllAlike{};
  return alike || rule.kinds.empty() ? std::span<const LayerKind>(&kAllAlike, 1) : rule.kinds;
}

char letter_of(const LayerKind& kind) {
  if (kind.letter != 0) return kind.letter;
  const char first = kind.name.front();
  return first >= 'a' && first <= 'z' ? static_cast<char>(first - 'a' + 'A') : first;
}

std::optional<size_t> kind_with(char letter, std::span<const LayerKind> kinds) {
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    if (letter_of(kinds[kind]) == letter) return kind;
  }
  return std::nullopt;
}

LayerPattern split_pattern(std::string_view pattern) {
  const size_t first = pattern.find('|');
  if (first == pattern.npos) return {.repeated = pattern};
  const size_t second = pattern.find('|', first + 1);
  const std::string_view rest = pattern.substr(first + 1);
  if (second == pattern.npos) return {.start = pattern.substr(0, first), .repeated = rest};
  return {pattern.substr(0, first), rest.substr(0, second - first - 1), pattern.substr(second + 1)};
}

const LayerKey* find_key(const LayerRule& rule, LayerKey::States states) {
  const auto found = std::find_if(std::begin(rule.keys), std::end(rule.keys),
                                  [&](const LayerKey& key) { return key.states == states; });
  return found == std::end(rule.keys) ? nullptr : found;
}

bool same_positions(const LayerKind& a, const LayerKind& b) {
  return a.rotates == b.rotates && a.theta_key == b.theta_key && a.rope_theta == b.rope_theta &&
         a.rotary_fraction == b.rotary_fraction && a.takes_rope_scaling == b.takes_rope_scaling &&
         a.head_dim_key == b.head_dim_key && a.head_dim == b.head_dim;
}

bool turn_alike(std::span<const LayerKind> kinds) {
  return std::all_of(kinds.begin(), kinds.end(), [&](const LayerKind& kind) {
    return kind.rotates && same_positions(kind, kinds.front());
  });
}

}  // namespace ropewalk
