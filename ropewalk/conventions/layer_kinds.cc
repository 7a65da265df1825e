#include "ropewalk/conventions/layer_kinds.h"

#include <algorithm>

namespace ropewalk {

std::span<const LayerKind> kinds_of(const LayerRule& rule, bool alike) {
  static constexpr LayerKind kAllAlike{};
  return alike || rule.kinds.empty() ? std::span<const LayerKind>(&kAllAlike, 1) : rule.kinds;
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
