// AI21 Labs: attention among layers of Mamba. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"mamba_d_state", "mamba_expand"};

constexpr ModelType kTypes[] = {
    {.name = "jamba",
     .architecture = "JambaForCausalLM",
     .config_class = "JambaConfig",
     .kv_heads = 8,
     .max_positions = 262144,
     .layers = {.kinds = kFullAndLinear,
                .pattern = "LLLLFLLL",
                .keys = {{LayerKey::every, "attn_layer_period"},
                         {LayerKey::offset, "attn_layer_offset"}}},
     .positions = Positions::none,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .encoding = "none"},
};

}  // namespace

constinit const Family family::ai21{
    .name = "ai21", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
