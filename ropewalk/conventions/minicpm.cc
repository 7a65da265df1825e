// MiniCPM of OpenBMB.
// Source: modeling_minicpm.py of openbmb/MiniCPM-2B-sft-bf16; modeling_minicpm3.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"scale_emb", "scale_depth", "dim_model_base"};

constexpr Part kMinicpmOcrParts[] = {part_model("vision", "vision_config", "minicpm_ocr_vision")};
constexpr Part kMinicpmv46Parts[] = {part_model("vision", "vision_config", "minicpmv4_6_vision")};
constexpr Part kMinicpmv47Parts[] = {part_model("vision", "vision_config", "minicpmv4_7_vision")};

constexpr ModelType kTypes[] = {
    {.name = "minicpm",
     .architecture = "MiniCPMForCausalLM",
     .config_class = "MiniCPMConfig",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("minicpm")},
    {.name = "minicpm3",
     .architecture = "MiniCPM3ForCausalLM",
     .config_class = "MiniCPM3Config",
     .size = {2560, 40, 62},
     .kv_heads = 40,
     .max_positions = 32768,
     .yarn_type = "deepseek_yarn",
     .latent = {.nope_dim = 64, .rope_dim = 32, .q_rank = 768, .kv_rank = 256},
     .value_dim = {"v_head_dim", 64},
     .attention = kPlainAttention,
     .weights = kLatent,
     .gguf = gguf_neox("minicpm3")},
    {.name = "cpmant",
     .architecture = "CpmAntForCausalLM",
     .config_class = "CpmAntConfig",
     .size = {4096, 32, 48},
     .head_dim = 128,
     .head_dim_key = "dim_head",
     .max_positions = 0,
     .positions = Positions::buckets,
     .buckets = {.buckets = {"position_bias_num_buckets", 512},
                 .max_distance = {"position_bias_max_distance", 2048}},
     .remark = "keys of other segments have numbers of their own"},
    model_of_parts({.name = "minicpm_ocr",
                    .architecture = "MiniCPMOcrForConditionalGeneration",
                    .config_class = "MiniCPMOcrConfig",
                    .part = "text_config",
                    .part_type = "qwen3_5_text",
                    .parts = kMinicpmOcrParts}),
    learned_table({.name = "minicpm_ocr_vision",
                   .architecture = "MiniCPMOcrVisionModel",
                   .config_class = "MiniCPMOcrVisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 16}}}),
    model_of_parts({.name = "minicpmv4_6",
                    .architecture = "MiniCPMV4_6ForConditionalGeneration",
                    .config_class = "MiniCPMV4_6Config",
                    .part = "text_config",
                    .part_type = "qwen3_5_text",
                    .parts = kMinicpmv46Parts}),
    learned_table({.name = "minicpmv4_6_vision",
                   .architecture = "MiniCPMV4_6VisionModel",
                   .config_class = "MiniCPMV4_6VisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 16}}}),
    model_of_parts({.name = "minicpmv4_7",
                    .architecture = "MiniCPMV4_7ForConditionalGeneration",
                    .config_class = "MiniCPMV4_7Config",
                    .part = "text_config",
                    .part_type = "qwen3_5_text",
                    .parts = kMinicpmv47Parts}),
    learned_table({.name = "minicpmv4_7_vision",
                   .architecture = "MiniCPMV4_7VisionModel",
                   .config_class = "MiniCPMV4_7VisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 16}}}),
    refused("minicpmv", "MiniCPMV", "MiniCPMVConfig",
            "its text is a minicpm, llama, qwen2 or qwen3 by /version, with the keys at the top; "
            "--assume reads it as one"),
};

}  // namespace

constinit const Family family::minicpm{
    .name = "minicpm", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
