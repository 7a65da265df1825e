// Lara of Translated. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr LayerKind kLara[] = {
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "sliding_attention", .windowed = true},
    {.name = "full_attention", .rotates = false},
};

constexpr ModelType kTypes[] = {
    {.name = "lara_mini",
     .architecture = "LaraMiniForCausalLM",
     .config_class = "LaraMiniConfig",
     .size = {1024, 16, 34},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 131072,
     .layers = {.kinds = kLara, .pattern = "LSLFS"},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 512}},
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::translated{.name = "translated", .types = kTypes};

}  // namespace ropewalk
