#include <algorithm>

#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

using Kind = PositionChange::Kind;

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (from.times == 0 || from.positions.kind != Kind::none) return;
  constexpr std::pair<Kind, std::string_view> kTypes[] = {
      {Kind::bf16, "bf16"}, {Kind::f16, "f16"}, {Kind::f32, "f32"}};
  for (const auto& [kind, variant] : kTypes) {
    // Beyond its range f16 is infinite, and so is nothing that was dumped.
    const auto beyond = [](int64_t p) { return p > 65504 || p < -65504; };
    if (kind == Kind::f16 && std::ranges::any_of(evidence.positions().ids, beyond)) continue;
    const PositionChange change{kind, 0, {}};
    if (changed(evidence.positions(), change) == evidence.positions()) continue;
    Turning turning = from;
    turning.positions = change;
    out.push_back({turning, {"position_precision", variant}});
  }
}

}  // namespace

// Position ids in a type that cannot count so far: bf16 above 256, f16 above 2048, f32 above 2^24.
constinit const Hypothesis hypothesis::position_precision{.propose = propose};

}  // namespace ropewalk
