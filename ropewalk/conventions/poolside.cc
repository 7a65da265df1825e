// Poolside. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr LayerKind kLaguna[] = {
    {.name = "full_attention", .rope_theta = 500000, .rotary_fraction = 0.5},
    {.name = "sliding_attention",
     .windowed = true,
     .rope_theta = 10000,
     .rotary_fraction = 1,
     .takes_rope_scaling = false},
};

constexpr ModelType kTypes[] = {
    {.name = "laguna",
     .architecture = "LagunaForCausalLM",
     .config_class = "LagunaConfig",
     .size = {2048, 48, 40},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .rounds_odd_up = true,
     .layers = {.kinds = kLaguna},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 512},
                   .not_computed = kSoftplusGate},
     .gguf = gguf_neox("laguna")},
};

}  // namespace

constinit const Family family::poolside{.name = "poolside", .types = kTypes};

}  // namespace ropewalk
