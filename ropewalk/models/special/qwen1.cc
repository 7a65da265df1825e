#include <fmt/format.h>

#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {

// Qwen 1 grows its base with the length of the prompt, and scales q past the trained length.
void special::qwen1(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_declared(config, model, type);
  const int64_t trained = model.max_positions;
  if (config.boolean("use_dynamic_ntk", "use_dynamic_ntk", {false, default_of(type)})) {
    config.note("rope_type", "qwen_dynamic", config.source("use_dynamic_ntk"));
    for (Layer& layer : model.layers) {
      RopeConfig& rope = std::get<RopeConfig>(layer.positions);
      rope.rope_type = "qwen_dynamic";
      rope.parameters = {{"seq_length", static_cast<double>(trained)}};
    }
  }
  if (!config.boolean("use_logn_attn", "use_logn_attn", {false, default_of(type)})) return;
  config.note("query_scale", fmt::format("ln(p + 1) / ln({}) where p + 1 > {}", trained, trained),
              config.source("use_logn_attn"));
  for (Layer& layer : model.layers) {
    layer.attention.query_scale = {QueryScale::Rule::log_ratio, 0, trained, 0};
  }
}

}  // namespace ropewalk
