// Cohere's Command and Aya.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"logit_scale", "use_parallel_residual_norm"};

constexpr ModelType kCohere2{
    .name = "cohere2",
    .architecture = "Cohere2ForCausalLM",
    .config_class = "Cohere2Config",
    .size = {8192, 64, 40},
    .max_positions = 8192,
    .pairing = Pairing::interleaved,
    .layers = {.kinds = kFullPassesSlidingTurns,
               .pattern = "SSSF",
               .keys = {{LayerKey::every, "sliding_window_pattern"}}},
    .attention = {.known = true, .window = {.key = "sliding_window", .value = 4096}},
    .weights = kSeparate,
    .gguf = gguf_norm("cohere2")};

constexpr Part kCohereCompassParts[] = {
    part_model("vision", "vision_config", "cohere_compass_vision")};

constexpr Part kSiglipParts[] = {part_model("vision", "vision_config", "siglip_vision_model")};

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
    kCohere2,
    // Layers without experts rotate too where prefix_dense_sliding_window_pattern is 1.
    like(kCohere2, {.name = "cohere2_moe",
                    .architecture = "Cohere2MoeForCausalLM",
                    .config_class = "Cohere2MoeConfig",
                    .head_dim = 128,
                    .gguf = gguf_norm("cohere2moe"),
                    .special = Special::cohere2_moe}),
    {.name = "cohere2_vision",
     .architecture = "Cohere2VisionForConditionalGeneration",
     .config_class = "Cohere2VisionConfig",
     .part = "text_config",
     .part_type = "cohere2",
     .parts = kSiglipParts},
    {.name = "aya_vision",
     .architecture = "AyaVisionForConditionalGeneration",
     .config_class = "AyaVisionConfig",
     .part = "text_config",
     .part_type = "cohere2",
     .parts = kSiglipParts},
    model_of_parts({.name = "cohere_asr",
                    .architecture = "CohereAsrForConditionalGeneration",
                    .config_class = "CohereAsrConfig",
                    .part = "encoder_config",
                    .part_type = "parakeet_encoder"}),
    model_of_parts({.name = "cohere_compass",
                    .architecture = "CohereCompassForConditionalGeneration",
                    .config_class = "CohereCompassConfig",
                    .part = "text_config",
                    .part_type = "cohere_compass_text",
                    .parts = kCohereCompassParts}),
    vision_tower(
        {"cohere_compass_vision", "CohereCompassVisionConfig", {1152, 16, 27}, &kQwen3Vision}),
    refused("cohere_compass_text", "CohereCompassForCausalLM", "CohereCompassTextConfig",
            "its kinds of layers have sections of axes of their own, which is not supported"),
};

}  // namespace

constinit const Family family::cohere{
    .name = "cohere", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
