// Kimi of Moonshot AI. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr LayerKind kKimiLinear[] = {
    {.name = "full_attention", .rotates = false},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
};

// As the checkpoints of Moonshot have it; that of transformers' Kimi K2.5 is half-split.
constexpr VisionRope kMoonVit{.pairing = Pairing::interleaved,
                              .order = MropeOrder::alternating,
                              .patches = {.axes = PatchAxes::wh}};
constexpr Part kMoonVitTower[] = {{.tower = &kMoonVit}};

constexpr ModelType kTypes[] = {
    {.name = "kimi_vl",
     .architecture = "KimiVLForConditionalGeneration",
     .config_class = "KimiVLConfig",
     .part = "text_config",
     .part_type = "deepseek_v3",
     .parts = kMoonVitTower},
    {.name = "kimi_k2",
     .config_class = "DeepseekV3Config",
     .kv_heads = 128,
     .max_positions = 4096,
     .pairing = Pairing::interleaved,
     .yarn_type = kDeepseekYarn,
     .latent = kLatentOfDeepseekV3,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent,
     .gguf = gguf_norm("deepseek2")},
    {.name = "kimi_linear",
     .architecture = "KimiLinearForCausalLM",
     .config_class = "KimiLinearConfig",
     .layers = {.kinds = kKimiLinear,
                .pattern = "L|FLLL",
                .keys = {{LayerKey::indices_from_one, "linear_attn_config/full_attn_layers"}}},
     .latent = {.nope_dim = 128, .rope_dim = 64},
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent,
     .encoding = "none: linear attention, and latent attention without rotation"},
    {.name = "kimi_k25",
     .architecture = "Kimi_K25ForConditionalGeneration",
     .config_class = "Kimi_K25Config",
     .part = "text_config",
     .part_type = "deepseek_v3",
     .parts = kKimiTower},
    vision_tower({"kimi_k25_vision",
                  "Kimi_K25VisionConfig",
                  {1152, 16, 27},
                  &kKimiVision,
                  "RoPE half_split, columns and rows on pairs by turns"}),
    model_of_parts({"kimi_k3", "KimiK3ForConditionalGeneration", "KimiK3Config", "text_config",
                    "kimi_linear"}),
};

}  // namespace

constinit const Family family::moonshot{.name = "moonshot", .types = kTypes};

}  // namespace ropewalk
