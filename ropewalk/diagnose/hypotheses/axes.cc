#include <algorithm>
#include <numeric>

#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

using Kind = PositionChange::Kind;
using Out = std::vector<Proposal>;

void propose_order(const Turning& from, DumpEvidence& evidence, Out& out) {
  const PositionTable& given = evidence.positions();
  if (given.axes < 2 || given.axes > 4 || from.positions.kind != Kind::none) return;
  const auto add = [&](const std::vector<int32_t>& order, Cause cause) {
    const PositionChange change{Kind::axis_order, 0, order};
    if (changed(given, change) == given) return;
    Turning turning = from;
    turning.positions = change;
    out.push_back({turning, std::move(cause)});
  };
  for (int32_t axis = 0; axis < given.axes; ++axis) {
    add(std::vector<int32_t>(static_cast<size_t>(given.axes), axis),
        {"axes", "one_axis", {{"axis", static_cast<double>(axis)}}});
  }
  std::vector<int32_t> order(static_cast<size_t>(given.axes));
  std::iota(order.begin(), order.end(), 0);
  while (std::next_permutation(order.begin(), order.end())) {
    Cause cause{"axes", "order"};
    for (const int32_t axis : order)
      cause.name += (cause.name.empty() ? "" : " ") + std::to_string(axis);
    add(order, cause);
  }
}

void propose_sections(const Turning& from, Out& out) {
  const std::vector<int64_t>& section = from.rope.mrope_section;
  if (section.empty()) return;
  for (const MropeOrder order : {MropeOrder::contiguous, MropeOrder::interleaved}) {
    if (order == from.rope.mrope_order || section.size() != 3) continue;
    Turning turning = from;
    turning.rope.mrope_order = order;
    out.push_back({turning, {"axes", "section_order", {}, std::string(name(order))}});
  }
  Turning turning = from;
  turning.rope.mrope_section.assign(section.rbegin(), section.rend());
  if (turning.rope.mrope_section != section)
    out.push_back({turning, {"axes", "sections_reversed"}});
}

void propose(const Turning& from, DumpEvidence& evidence, Out& out) {
  if (from.times == 0) return;
  propose_order(from, evidence, out);
  propose_sections(from, out);
}

}  // namespace

// Positions of several axes: which of them drives which pair.
constinit const Hypothesis hypothesis::axes{.propose = propose};

}  // namespace ropewalk
