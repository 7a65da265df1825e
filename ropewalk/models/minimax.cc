// MiniMax.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/models/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"rotary_dim"};

constexpr LayerKind kLinearAndFull[] = {
    {.name = "linear_attention", .rotates = false},
    {.name = "full_attention"},
};

constexpr ModelType kTypes[] = {
    {.name = "minimax",
     .architecture = "MiniMaxForCausalLM",
     .config_class = "MiniMaxConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 1000000,
     .layers = {.kinds = kLinearAndFull, .period = 2}},
    {.name = "minimax_m2",
     .architecture = "MiniMaxM2ForCausalLM",
     .config_class = "MiniMaxM2Config",
     .size = {3072, 48, 62},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 196608,
     .rope_theta = 5000000,
     .fraction = Fraction::leading,
     .rotary_dim_key = "rotary_dim",
     .q_k_norm = kNormAllBefore,
     .gguf = gguf_neox("minimax-m2")},
};

}  // namespace

constinit const Family family::minimax{
    .name = "minimax", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
