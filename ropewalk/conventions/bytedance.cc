// ByteDance. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kBagelParts[] = {part_model("vision", "vit_config", "siglip_vision_model")};

constexpr ModelType kTypes[] = {
    {.name = "seed_oss",
     .architecture = "SeedOssForCausalLM",
     .config_class = "SeedOssConfig",
     .size = {4096, 80, 64},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 524288,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_neox("seed_oss")},
    model_of_parts({"bagel", "BagelForConditionalGeneration", "BagelConfig", "llm_config", "qwen2",
                    kBagelParts}),
};

}  // namespace

constinit const Family family::bytedance{.name = "bytedance", .types = kTypes};

}  // namespace ropewalk
