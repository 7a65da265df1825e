#include <cmath>
#include <memory>
#include <string_view>
#include <variant>

#include "ropewalk/diagnose/dumps/hypothesis.h"
#include "ropewalk/diagnose/layer_kinds.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

using Kind = PositionChange::Kind;

// What one of the two tables may be of.
struct Other {
  Turning turning;
  std::string_view sin, cos;  // the variant, if it is that one
  double number = 0;
};

std::vector<Other> others_of(const Turning& from, DumpEvidence& evidence) {
  constexpr double kDefaultBase = 10000;
  std::vector<Other> others;
  if (is_scaled(from.rope.rope_type) || !from.rope.lists.empty()) {
    Turning turning = from;
    turning.rope = without_scaling(from.rope);
    // Both tables may have the attention scaling all the same.
    const double amplitude = evidence.spectra().of(from.rope, from.seq_len).attention_scaling;
    turning.amplitude = from.amplitude * std::pow(amplitude, from.scaling_power);
    others.push_back({turning, "sin_unscaled", "cos_unscaled"});
    turning.amplitude = from.amplitude;
    if (amplitude != 1) others.push_back({turning, "sin_unscaled", "cos_unscaled"});
  }
  if (evidence.model() != nullptr) {
    for (const LayerGroup& group : groups_of_layers(*evidence.model())) {
      const auto* rope = std::get_if<RopeConfig>(&group.positions);
      if (rope == nullptr || *rope == from.rope || !(rope->layout == from.rope.layout)) continue;
      Turning turning = from;
      turning.rope = *rope;
      others.push_back(
          {turning, "sin_of_layer", "cos_of_layer", static_cast<double>(group.layers.front())});
    }
  }
  if (from.positions.kind == Kind::none) {
    for (const int64_t shift : {1, -1}) {
      Turning turning = from;
      turning.positions = {Kind::offset, shift, {}};
      others.push_back({turning, "sin_shifted", "cos_shifted", static_cast<double>(shift)});
    }
  }
  if (from.rope.rope_theta != kDefaultBase) {
    Turning turning = from;
    turning.rope.rope_theta = kDefaultBase;
    others.push_back({turning, "sin_base", "cos_base", kDefaultBase});
  }
  return others;
}

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (from.times == 0 || from.sin_of || !from.inv_freq.empty()) return;
  for (const Other& other : others_of(from, evidence)) {
    Turning sin = from, cos = other.turning;
    sin.sin_of = std::make_shared<const Turning>(other.turning);
    cos.sin_of = std::make_shared<const Turning>(from);
    const auto numbers = [&] {
      return std::vector<std::pair<std::string_view, double>>{
          {"number", other.number}, {"layer", other.number}, {"found", other.number}};
    };
    out.push_back({sin, {"mixed_tables", other.sin, numbers()}});
    out.push_back({cos, {"mixed_tables", other.cos, numbers()}});
  }
}

}  // namespace

// cos of one table and sin of another: of another layer, another position, without the scaling.
constinit const Hypothesis hypothesis::mixed_tables{.propose = propose};

}  // namespace ropewalk
