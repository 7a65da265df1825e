// Cohere's Command and Aya.
// Source: configuration_*.py and modeling_*.py of transformers.

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/models/family.h"
#include "ropewalk/models/layer_kinds.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"logit_scale", "use_parallel_residual_norm"};

// The first layers, without experts, are of another pattern, in which they may rotate although they
// see the whole context.
void read_moe(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
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
    if (i < kinds->size() && (*kinds)[i] == "dense")
      model.layers[i].positions = PositionEncoding(turning->positions);
  }
  config.note("layers without experts", "rotate", config.source("mlp_layer_types"));
}

constexpr ModelType kTypes[] = {
    {.name = "cohere",
     .architecture = "CohereForCausalLM",
     .config_class = "CohereConfig",
     .size = {8192, 64, 40},
     .max_positions = 8192,
     .pairing = Pairing::interleaved,
     .rope_theta = 500000,
     .attention = {.known = true, .qk_norm = layer_norm_if("use_qk_norm", false)},
     .weights = kSeparate,
     .gguf = gguf_norm("command-r")},
    {.name = "cohere2",
     .architecture = "Cohere2ForCausalLM",
     .config_class = "Cohere2Config",
     .size = {8192, 64, 40},
     .max_positions = 8192,
     .pairing = Pairing::interleaved,
     .layers = {.kinds = kFullPassesSlidingTurns,
                .period = 4,
                .period_key = "sliding_window_pattern"},
     .attention = {.known = true, .window = {.key = "sliding_window", .value = 4096}},
     .weights = kSeparate,
     .gguf = gguf_norm("cohere2")},
    // Layers without experts rotate too where prefix_dense_sliding_window_pattern is 1.
    {.name = "cohere2_moe",
     .architecture = "Cohere2MoeForCausalLM",
     .config_class = "Cohere2MoeConfig",
     .size = {8192, 64, 40},
     .head_dim = 128,
     .max_positions = 8192,
     .pairing = Pairing::interleaved,
     .layers = {.kinds = kFullPassesSlidingTurns,
                .period = 4,
                .period_key = "sliding_window_pattern"},
     .attention = {.known = true, .window = {.key = "sliding_window", .value = 4096}},
     .weights = kSeparate,
     .read = read_moe},
    {.name = "cohere2_vision",
     .architecture = "Cohere2VisionForConditionalGeneration",
     .config_class = "Cohere2VisionConfig",
     .part = "text_config",
     .part_type = "cohere2"},
    {.name = "aya_vision",
     .architecture = "AyaVisionForConditionalGeneration",
     .config_class = "AyaVisionConfig",
     .part = "text_config",
     .part_type = "cohere2"},
};

}  // namespace

constinit const Family family::cohere{
    .name = "cohere", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
