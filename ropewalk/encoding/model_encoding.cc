#include "ropewalk/encoding/model_encoding.h"

#include <string>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {

std::string_view name(Mixer mixer) {
  switch (mixer) {
    case Mixer::attention:
      return "attention";
    case Mixer::cross_attention:
      return "cross_attention";
    case Mixer::recurrence:
      return "recurrence";
    case Mixer::convolution:
      return "convolution";
    case Mixer::none:
      return "none";
  }
  return "";
}

std::vector<std::reference_wrapper<const PositionEncoding>> layer_positions(
    const ModelEncoding& model) {
  std::vector<std::reference_wrapper<const PositionEncoding>> positions;
  for (const Layer& layer : model.layers) positions.emplace_back(layer.positions);
  return positions;
}

const Layer& layer_at(const ModelEncoding& model, int64_t layer) {
  if (model.layers.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("layer: expected a model with layers of attention that ropewalk "
                            "describes, found {}, which has none",
                            escaped(model.name)));
  }
  if (layer < 0 || layer >= std::ssize(model.layers)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("layer: expected 0..{} for {}, found {}", std::ssize(model.layers) - 1,
                            escaped(model.name), layer));
  }
  return model.layers[static_cast<size_t>(layer)];
}

const RopeConfig& rope_at(const ModelEncoding& model, int64_t layer) {
  const PositionEncoding& encoding = layer_at(model, layer).positions;
  if (const auto* rope = std::get_if<RopeConfig>(&encoding)) return *rope;
  std::string others;
  for (const NamedEncoding& other : model.others) {
    others += fmt::format(", and {} for the {}", name(other.encoding), other.name);
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{}: layer {} has no rotary encoding but {}{}: there is nothing to rotate",
                  escaped(model.name), layer, name(encoding), others));
}

bool reads_position_ids(const Layer& layer) {
  return std::holds_alternative<RopeConfig>(layer.positions) || layer.attention.query_scale;
}

void set_positions(ModelEncoding& model, const PositionEncoding& positions) {
  for (Layer& layer : model.layers) layer.positions = positions;
}

}  // namespace ropewalk
