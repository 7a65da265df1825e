#include "ropewalk/report/shown.h"

#include <algorithm>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"

namespace ropewalk {

const NamedEncoding& part_at(const ModelEncoding& model, const std::string& name) {
  std::vector<std::string> names;
  for (const NamedEncoding& part : model.others) {
    if (part.name == name) return part;
    names.push_back(part.name);
  }
  // A tower that does not turn is what is added to its input.
  for (const NamedEncoding& part : model.others) {
    if (part.name == name + " input") return part;
  }
  const std::string parts =
      names.empty() ? fmt::format("a model with parts beside its layers, found {}, which has none",
                                  escaped(model.name))
                    : fmt::format("one of {}, found \"{}\"", fmt::join(names, ", "), escaped(name));
  throw Error(ErrorCode::invalid_argument, "part: expected " + parts);
}

const PositionEncoding& encoding_shown(const ModelEncoding& model, const Shown& shown) {
  static const PositionEncoding kNothing;
  if (shown.part.empty() && model.layers.empty()) return kNothing;
  return shown.part.empty() ? layer_at(model, shown.layer).positions
                            : part_at(model, shown.part).encoding;
}

int64_t context_shown(const ModelEncoding& model, const Shown& shown) {
  const auto axes = [](const PositionEncoding& encoding) {
    const auto* rope = std::get_if<RopeConfig>(&encoding);
    return rope == nullptr ? 0 : rope->position_axes;
  };
  const bool same_positions =
      shown.part.empty() ||
      std::any_of(model.layers.begin(), model.layers.end(), [&](const Layer& layer) {
        return axes(layer.positions) == axes(encoding_shown(model, shown));
      });
  return same_positions ? model.max_positions : 0;
}

ScalingBands bands_shown(const RopeConfig& rope, const Shown& shown, int64_t context) {
  ScalingBands bands = scaling_bands(rope, shown.seq_len, context);
  if (!shown.part.empty()) bands.softmax_factor = 1;
  return bands;
}

}  // namespace ropewalk
