// GLM-4 and later as Hugging Face transformers has them (model_type chatglm: chatglm.cc; the ones
// with latent attention: deepseek.cc). Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/models/family.h"
#include "ropewalk/models/vision.h"

namespace ropewalk {
namespace {

constexpr MultiAxis kSections{.axes = 3, .section = {8, 12, 12}};

constexpr ModelType kTypes[] = {
    {.name = "glm",
     .architecture = "GlmForCausalLM",
     .config_class = "GlmConfig",
     .size = {4096, 32, 40},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .gguf = gguf_norm("chatglm")},
    {.name = "glm4",
     .architecture = "Glm4ForCausalLM",
     .config_class = "Glm4Config",
     .size = {4096, 32, 40},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .gguf = gguf_norm("glm4")},
    {.name = "glm4_moe",
     .architecture = "Glm4MoeForCausalLM",
     .config_class = "Glm4MoeConfig",
     .size = {4096, 96, 46},
     .kv_heads = 8,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .q_k_norm = kNormBefore,
     .q_k_norm_key = "use_qk_norm",
     .gguf = gguf_neox("glm4moe")},
    {.name = "glm4v_text",
     .config_class = "Glm4vTextConfig",
     .size = {4096, 32, 40},
     .kv_heads = 2,
     .max_positions = 32768,
     .pairing = Pairing::interleaved,
     .fraction = Fraction::leading,
     .multi_axis = kSections},
    {.name = "glm4v",
     .architecture = "Glm4vForConditionalGeneration",
     .config_class = "Glm4vConfig",
     .part = "text_config",
     .part_type = "glm4v_text",
     .others = add_vision_grid},
    {.name = "glm4v_moe_text",
     .config_class = "Glm4vMoeTextConfig",
     .size = {4096, 96, 46},
     .kv_heads = 8,
     .max_positions = 65536,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .multi_axis = kSections,
     .gguf = gguf_neox("glm4moe")},
    {.name = "glm4v_moe",
     .architecture = "Glm4vMoeForConditionalGeneration",
     .config_class = "Glm4vMoeConfig",
     .part = "text_config",
     .part_type = "glm4v_moe_text",
     .others = add_vision_grid},
    {.name = "glm46v",
     .architecture = "Glm46VForConditionalGeneration",
     .config_class = "Glm46VConfig",
     .part = "text_config",
     .part_type = "glm4v_text",
     .others = add_vision_grid},
    {.name = "glm_ocr_text",
     .config_class = "GlmOcrTextConfig",
     .size = {1024, 16, 16},
     .kv_heads = 8,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .fraction = Fraction::leading,
     .multi_axis = kSections},
    {.name = "glm_ocr",
     .architecture = "GlmOcrForConditionalGeneration",
     .config_class = "GlmOcrConfig",
     .part = "text_config",
     .part_type = "glm_ocr_text",
     .others = add_vision_grid},
};

}  // namespace

constinit const Family family::glm{.name = "glm", .types = kTypes};

}  // namespace ropewalk
