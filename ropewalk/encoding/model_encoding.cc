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
  }
  return "";
}

void set_positions(ModelEncoding& model, const PositionEncoding& positions) {
  for (Layer& layer : model.layers) layer.positions = positions;
}

}  // namespace ropewalk
