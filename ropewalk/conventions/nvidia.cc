// NVIDIA. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr KeyAlias kNemotronAliases[] = {{"layer_types", "layers_block_type"}};

// The last two are old names.
constexpr LayerKind kNemotron[] = {
    {.name = "full_attention", .letter = '*'},
    {.name = "linear_attention", .letter = 'M', .rotates = false, .mixer = Mixer::recurrence},
    {.name = "mlp", .letter = '-', .rotates = false, .mixer = Mixer::none},
    {.name = "moe", .letter = 'E', .rotates = false, .mixer = Mixer::none},
    {.name = "attention", .letter = '*'},
    {.name = "mamba", .rotates = false, .mixer = Mixer::recurrence},
};

constexpr ModelType kTypes[] = {
    {.name = "nemotron",
     .architecture = "NemotronForCausalLM",
     .config_class = "NemotronConfig",
     .size = {6144, 48, 32},
     .max_positions = 4096,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .fraction_key = "rope_percent",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_neox("nemotron")},
    {.name = "nemotron_h",
     .architecture = "NemotronHForCausalLM",
     .config_class = "NemotronHConfig",
     .aliases = kNemotronAliases,
     .kv_heads = 8,
     .max_positions = 4096,
     .layers = {.kinds = kNemotron,
                .pattern = "ME*-",
                .keys = {{LayerKey::names, "layers_block_type"},
                         {LayerKey::letters, "hybrid_override_pattern"}}},
     .positions = Positions::none,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::separate, .layer = "layers.{}.mixer."},
     .encoding = "none"},
};

}  // namespace

constinit const Family family::nvidia{.name = "nvidia", .types = kTypes};

}  // namespace ropewalk
