#include <algorithm>
#include <variant>

#include "ropewalk/diagnose/dumps/hypothesis.h"
#include "ropewalk/diagnose/layer_kinds.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (evidence.model() == nullptr) return;
  const std::vector<LayerGroup> groups = groups_of_layers(*evidence.model());
  const bool stands_still = from.times == 0;
  const auto add = [&](const RopeConfig& rope, Cause cause) {
    if (rope.layout.head_dim != from.places.in.head_dim) return;
    Turning turning = turning_of(rope, from.seq_len);
    turning.positions = from.positions;
    turning.places.grouping = from.places.grouping;
    turning.places.heads = from.places.heads;
    out.push_back({turning, std::move(cause)});
  };
  for (const LayerGroup& group : groups) {
    const auto* rope = std::get_if<RopeConfig>(&group.positions);
    if (rope == nullptr || (!stands_still && *rope == from.rope)) continue;
    add(*rope, {"other_layer",
                stands_still ? "should_not_turn" : "layer",
                {{"layer", static_cast<double>(group.layers.front())}}});
  }
  for (const NamedEncoding& part : evidence.model()->others) {
    const auto* rope = std::get_if<RopeConfig>(&part.encoding);
    if (rope == nullptr || *rope == from.rope || stands_still) continue;
    if (rope->position_axes == from.rope.position_axes)
      add(*rope, {"other_layer", "part", {}, part.name});
  }
}

}  // namespace

// The rotation of another layer of the model: the local base for the global one, or any rotation
// where the layer has none.
constinit const Hypothesis hypothesis::other_layer{.propose = propose, .moves_places = true};

}  // namespace ropewalk
