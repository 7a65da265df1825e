// Ling of Ant Group. Source: configuration_*.py and modeling_*.py of transformers; bailing_moe.py
// of mlx-lm 0.32.2 and vllm 0.33.0, llada2_moe of mlx-vlm 0.7.10.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kBailingMoe{
    .name = "bailing_moe",
    .architecture = "BailingMoeForCausalLM",
    .config_class = "BailingMoeConfig",
    .max_positions = 0,
    .fraction = Fraction::leading,
    .rotary_dim_key = "rotary_dim",
    .attention = {.known = true,
                  .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-6},
                              .on = {"use_qk_norm", false}}},
    .gguf = gguf_norm("bailingmoe")};

constexpr ModelType kTypes[] = {
    kBailingMoe,
    like(kBailingMoe, {.name = "bailing_moe_v2",
                       .architecture = "BailingMoeV2ForCausalLM",
                       .config_class = "BailingMoeV2Config",
                       .gguf = gguf_neox("bailingmoe2")}),
    like(kBailingMoe, {.name = "llada2_moe",
                       .architecture = "LLaDA2MoeModelLM",
                       .config_class = "LLaDA2MoeConfig",
                       .rope_theta = 600000,
                       .attention = AttentionRule{}}),
    {.name = "bailing_hybrid",
     .architecture = "BailingHybridForCausalLM",
     .config_class = "BailingHybridConfig",
     .size = {2560, 32, 42},
     .kv_heads = 32,
     .max_positions = 262144,
     .pairing = Pairing::interleaved,
     .rope_theta = 6000000,
     .layers = {.kinds = kFullAndLinear,
                .pattern = "LLLLLF",
                .keys = {{LayerKey::every, "layer_group_size"}}},
     .latent = {.nope_dim = 128, .rope_dim = 64, .writes_half_split = true},
     .value_dim = {"v_head_dim", 128},
     .attention = {.known = true, .output_gate = OutputGate::per_head},
     .weights = {.form = QkvForm::latent,
                 .layer = "layers.{}.attention.",
                 .o = "dense",
                 .gate = "g_proj"}},
    refused("bailing_moe_linear", "BailingMoeV2_5ForCausalLM", "BailingMoeLinearConfig",
            "its linear layers and its latent ones turn heads of different sizes, which is not "
            "supported"),
};

}  // namespace

constinit const Family family::ant{.name = "ant", .types = kTypes};

}  // namespace ropewalk
