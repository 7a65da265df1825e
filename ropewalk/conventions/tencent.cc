// Tencent's models beside Hunyuan. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "youtu",
     .architecture = "YoutuForCausalLM",
     .config_class = "YoutuConfig",
     .size = {2048, 16, 32},
     .kv_heads = 16,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .yarn_type = kDeepseekYarn,
     .latent = kLatentOfDeepseekV3,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent},
    {.name = "youtu_llm",
     .config_class = "YoutuLLMConfig",
     .kv_heads = 16,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .rope_theta = 1600000,
     .latent = kLatentOfDeepseekV3,
     .value_dim = {"v_head_dim", 128}},
};

}  // namespace

constinit const Family family::tencent{.name = "tencent", .types = kTypes};

}  // namespace ropewalk
