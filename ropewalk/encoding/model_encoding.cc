#include "ropewalk/encoding/model_encoding.h"

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

void set_positions(ModelEncoding& model, const PositionEncoding& positions) {
  for (Layer& layer : model.layers) layer.positions = positions;
}

}  // namespace ropewalk
