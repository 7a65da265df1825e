#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {

// The first layers, without experts, are of another pattern, in which they may rotate although they
// see the whole context.
void special::cohere2_moe(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_declared(config, model, type);
  constexpr std::string_view kPattern = "prefix_dense_sliding_window_pattern";
  const auto pattern = config.find_integer(kPattern, {0, 4096});
  if (!pattern) return;
  config.note("pattern of the layers without experts", fmt::to_string(*pattern),
              config.source(kPattern));
  const auto kinds = config.find_texts("mlp_layer_types");
  if (*pattern != 1 || !kinds) return;
  const auto turning = std::ranges::find_if(model.layers, [](const Layer& layer) {
    return std::holds_alternative<RopeConfig>(layer.positions);
  });
  for (size_t i = 0; turning != model.layers.end() && i < model.layers.size(); ++i) {
    if (i < kinds->size() && (*kinds)[i] == "dense") {
      model.layers[i].positions = PositionEncoding(turning->positions);
    }
  }
  config.note("layers without experts", "rotate", config.source("mlp_layer_types"));
}

}  // namespace ropewalk
