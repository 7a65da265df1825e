// Arcee AI. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "arcee",
     .architecture = "ArceeForCausalLM",
     .config_class = "ArceeConfig",
     .size = {2560, 32, 32},
     .max_positions = 4096,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("arcee")},
    {.name = "afmoe",
     .architecture = "AfmoeForCausalLM",
     .config_class = "AfmoeConfig",
     .size = {2048, 16, 32},
     .head_dim = 128,
     .max_positions = 16384,
     .layers = {.kinds = kFullPassesSlidingTurns,
                .pattern = "SSSF",
                .keys = {{LayerKey::every, "global_attn_every_n_layers"}}},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-5),
                   .window = {.key = "sliding_window", .value = 1024},
                   .output_gate = OutputGate::per_channel},
     .weights = kSeparate,
     .gguf = gguf_neox("afmoe")},
};

}  // namespace

constinit const Family family::arcee{.name = "arcee", .types = kTypes};

}  // namespace ropewalk
