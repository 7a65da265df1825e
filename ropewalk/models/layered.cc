// Language models whose kinds of layers differ in their rotation.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/models/family.h"
#include "ropewalk/models/layer_kinds.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"swa_rope_theta", "hybrid_layer_pattern",
                                              "global_attn_every_n_layers"};

constexpr LayerKind kMimo[] = {
    {.name = "full_attention", .rope_theta = 5000000},
    {.name = "sliding_attention", .theta_key = "swa_rope_theta", .rope_theta = 10000},
};
constexpr LayerKind kLaguna[] = {
    {.name = "full_attention", .rope_theta = 500000, .rotary_fraction = 0.5},
    {.name = "sliding_attention",
     .rope_theta = 10000,
     .rotary_fraction = 1,
     .takes_rope_scaling = false},
};
constexpr LayerKind kMellum[] = {
    {.name = "full_attention", .rope_theta = 500000},
    {.name = "sliding_attention", .rope_theta = 10000, .takes_rope_scaling = false},
};
constexpr LayerKind kZaya[] = {
    {.name = "hybrid", .rope_theta = 5000000},
    {.name = "hybrid_sliding", .rope_theta = 10000},
};
constexpr ModelType kTypes[] = {
    {.name = "mimo_v2_flash",
     .architecture = "MiMoV2FlashForCausalLM",
     .config_class = "MiMoV2FlashConfig",
     .size = {4096, 64, 48},
     .head_dim = 192,
     .kv_heads = 4,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.334,
     .layers = {.kinds = kMimo,
                .period = 6,
                .numbers_key = "hybrid_layer_pattern",
                .first_is_first_kind = true},
     .gguf = gguf_neox("mimo2")},
    {.name = "laguna",
     .architecture = "LagunaForCausalLM",
     .config_class = "LagunaConfig",
     .size = {2048, 48, 40},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .layers = {.kinds = kLaguna},
     .q_k_norm = kNormBefore,
     .gguf = gguf_neox("laguna")},
    {.name = "mellum",
     .architecture = "MellumForCausalLM",
     .config_class = "MellumConfig",
     .size = {2304, 32, 28},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .layers = {.kinds = kMellum},
     .q_k_norm = kNormBefore,
     .gguf = gguf_neox("mellum")},
    {.name = "zaya",
     .architecture = "ZayaForCausalLM",
     .config_class = "ZayaConfig",
     .size = {2048, 8, 40},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .layers = {.kinds = kZaya},
     .q_k_norm = kNormBefore},
    {.name = "afmoe",
     .architecture = "AfmoeForCausalLM",
     .config_class = "AfmoeConfig",
     .size = {2048, 16, 32},
     .head_dim = 128,
     .max_positions = 16384,
     .layers = {.kinds = kFullPassesSlidingTurns,
                .period = 4,
                .period_key = "global_attn_every_n_layers"},
     .q_k_norm = kNormBefore,
     .gguf = gguf_neox("afmoe")},
    {.name = "flint",
     .architecture = "FlintForCausalLM",
     .config_class = "FlintConfig",
     .size = {2048, 32, 49},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 262144,
     .layers =
         {.kinds = kFullPassesSlidingTurns, .period = 4, .shift = 3, .first_is_first_kind = true},
     .q_k_norm = kNormBefore},
    {.name = "kolibri1",
     .architecture = "Kolibri1ForCausalLM",
     .config_class = "Kolibri1Config",
     .size = {2560, 48, 50},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 262144,
     .layers = {.kinds = kFullPassesSlidingTurns,
                .period = 5,
                .all_rotate_if_null = "sliding_window"},
     .q_k_norm = kNormBefore},
    {.name = "beam",
     .architecture = "BeamForCausalLM",
     .config_class = "BeamConfig",
     .size = {5120, 48, 52},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 8192,
     .layers = {.kinds = kFullPassesSlidingTurns, .period = 6, .last_is_first_kind = true},
     .q_k_norm = kNormBefore},
};

}  // namespace

constinit const Family family::layered{
    .name = "layered", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
