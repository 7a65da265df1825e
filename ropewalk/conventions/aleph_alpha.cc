// Aleph Alpha. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "kolibri1",
     .architecture = "Kolibri1ForCausalLM",
     .config_class = "Kolibri1Config",
     .size = {2560, 48, 50},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 262144,
     .layers = {.kinds = kFullPassesSlidingTurns,
                .pattern = "SSSSF",
                .keys = {{LayerKey::alike_if_null, "sliding_window"}}},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 513}},
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::aleph_alpha{.name = "aleph_alpha", .types = kTypes};

}  // namespace ropewalk
