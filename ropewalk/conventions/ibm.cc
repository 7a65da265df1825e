// IBM's models beside Granite. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr LayerKind kAttentionAndMamba[] = {
    {.name = "attention"},
    {.name = "mamba", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "full_attention"},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
};

constexpr ModelType kTypes[] = {
    {.name = "bamba",
     .architecture = "BambaForCausalLM",
     .config_class = "BambaConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 262144,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .rounds_odd_up = true,
     .layers = {.kinds = kAttentionAndMamba,
                .pattern = "M",
                .keys = {{LayerKey::names, "layers_block_type"},
                         {LayerKey::indices, "attn_layer_indices"}}},
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("granitehybrid")},
};

}  // namespace

constinit const Family family::ibm{.name = "ibm", .types = kTypes};

}  // namespace ropewalk
