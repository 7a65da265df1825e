// JetMoE. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr KeyAlias kJetMoeAliases[] = {{"head_dim", "kv_channels"}};

constexpr ModelType kTypes[] = {
    {.name = "jetmoe",
     .architecture = "JetMoeForCausalLM",
     .config_class = "JetMoeConfig",
     .aliases = kJetMoeAliases,
     .size = {2048, 32, 12},
     .head_dim = 128,
     .head_dim_key = "kv_channels",
     .kv_heads = 16,
     .max_positions = 4096,
     .attention = {.known = true, .not_computed = kExpertHeads}},
};

}  // namespace

constinit const Family family::jetmoe{.name = "jetmoe", .types = kTypes};

}  // namespace ropewalk
