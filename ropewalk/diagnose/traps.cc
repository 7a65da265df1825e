#include "ropewalk/diagnose/traps.h"

#include <algorithm>
#include <optional>

#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

// The base of a layer that may be missing from the file, which states none. Many a file rightly
// leaves 10000 to its class; but none is known of a model that was trained with so small a base,
// without a scaling, on more than 8192 positions that a layer sees at once.
std::optional<double> lost_base(const ModelEncoding& model) {
  constexpr int64_t kLongest = 8192;
  if (model.states_base || model.max_positions <= kLongest) return std::nullopt;
  std::optional<double> base;
  for (const Layer& layer : model.layers) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (rope == nullptr) continue;
    if (is_scaled(rope->rope_type)) return std::nullopt;
    if (layer.attention.window_left < 0 && rope->rope_theta <= 10000) base = rope->rope_theta;
  }
  return base;
}

std::optional<FactorDisagrees> disagreement(const RopeConfig& rope, int64_t max_positions) {
  if (!scaling_traits(rope.rope_type).factor_is_growth || max_positions == 0) return std::nullopt;
  const auto factor = rope.parameters.find("factor");
  const auto original = rope.parameters.find("original_max_position_embeddings");
  if (factor == rope.parameters.end() || original == rope.parameters.end()) return std::nullopt;
  const double ratio = static_cast<double>(max_positions) / original->second;
  if (ratio == 1 || ratio == factor->second) return std::nullopt;
  return FactorDisagrees{factor->second, max_positions, original->second};
}

}  // namespace

std::vector<Trap> known_traps(const ModelEncoding& model) {
  std::vector<Trap> traps;
  for (const PositionEncoding& layer : layer_positions(model)) {
    const auto* rope = std::get_if<RopeConfig>(&layer);
    const auto trap = rope == nullptr ? std::nullopt : disagreement(*rope, model.max_positions);
    if (!trap || std::find(traps.begin(), traps.end(), Trap(*trap)) != traps.end()) continue;
    traps.emplace_back(*trap);
  }
  if (const auto base = lost_base(model)) {
    traps.emplace_back(BaseNotStated{*base, model.max_positions});
  }
  return traps;
}

}  // namespace ropewalk
