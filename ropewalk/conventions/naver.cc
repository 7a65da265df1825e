// NAVER. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kHyperclovaxVisionV2Parts[] = {
    part_model("vision", "vision_config", "qwen2_5_vl_vision")};

constexpr ModelType kTypes[] = {
    {.name = "hyperclovax",
     .architecture = "HyperCLOVAXForCausalLM",
     .config_class = "HyperCLOVAXConfig",
     .size = {4096, 32, 32},
     .attention = {.known = true, .scale = {.key = "attention_multiplier"}},
     .weights = kSeparate},
    learned_table({.name = "bros",
                   .architecture = "BrosModel",
                   .config_class = "BrosConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
    relative_terms({.name = "donut-swin",
                    .architecture = "DonutSwinModel",
                    .config_class = "DonutSwinConfig",
                    .relative = {.form = RelativeForm::window_table}}),
    model_of_parts({.name = "hyperclovax_vision_v2",
                    .architecture = "HyperCLOVAXVisionV2ForConditionalGeneration",
                    .config_class = "HyperCLOVAXVisionV2Config",
                    .part = "text_config",
                    .part_type = "hyperclovax",
                    .parts = kHyperclovaxVisionV2Parts}),
};

}  // namespace

constinit const Family family::naver{.name = "naver", .types = kTypes};

}  // namespace ropewalk
