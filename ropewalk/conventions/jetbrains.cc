// JetBrains. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr LayerKind kMellum[] = {
    {.name = "full_attention", .rope_theta = 500000},
    {.name = "sliding_attention",
     .windowed = true,
     .rope_theta = 10000,
     .takes_rope_scaling = false},
};

constexpr ModelType kTypes[] = {
    {.name = "mellum",
     .architecture = "MellumForCausalLM",
     .config_class = "MellumConfig",
     .size = {2304, 32, 28},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .layers = {.kinds = kMellum},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 1024}},
     .weights = kSeparate,
     .gguf = gguf_neox("mellum")},
};

}  // namespace

constinit const Family family::jetbrains{.name = "jetbrains", .types = kTypes};

}  // namespace ropewalk
