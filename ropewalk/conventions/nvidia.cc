// NVIDIA. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr KeyAlias kNemotronAliases[] = {{"layer_types", "layers_block_type"}};

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
     .positions = Positions::none,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::separate, .layer = "layers.{}.mixer."},
     .encoding = "none"},
};

}  // namespace

constinit const Family family::nvidia{.name = "nvidia", .types = kTypes};

}  // namespace ropewalk
