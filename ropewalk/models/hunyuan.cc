// Hunyuan of Tencent: rope_type dynamic with alpha is a base that is larger once and for all.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/models/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "hunyuan_v1_dense",
     .architecture = "HunYuanDenseV1ForCausalLM",
     .config_class = "HunYuanDenseV1Config",
     .size = {4096, 32, 32},
     .reads_alpha = true,
     .q_k_norm = kNormAfter,
     .gguf = gguf_neox("hunyuan-dense")},
    {.name = "hunyuan_v1_moe",
     .architecture = "HunYuanMoEV1ForCausalLM",
     .config_class = "HunYuanMoEV1Config",
     .size = {4096, 32, 32},
     .reads_alpha = true,
     .q_k_norm = kNormAfter,
     .gguf = gguf_neox("hunyuan-moe")},
    {.name = "hy_v3",
     .architecture = "HYV3ForCausalLM",
     .config_class = "HYV3Config",
     .size = {4096, 64, 80},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 11158840,
     .q_k_norm = kNormBefore},
};

}  // namespace

constinit const Family family::hunyuan{.name = "hunyuan", .types = kTypes};

}  // namespace ropewalk
