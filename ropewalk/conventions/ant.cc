// Ling of Ant Group. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "bailing_hybrid",
     .architecture = "BailingHybridForCausalLM",
     .config_class = "BailingHybridConfig",
     .size = {2560, 32, 42},
     .kv_heads = 32,
     .max_positions = 262144,
     .pairing = Pairing::interleaved,
     .rope_theta = 6000000,
     .layers = {.kinds = kFullAndLinear,
                .pattern = "LLLLLF",
                .keys = {{LayerKey::every, "layer_group_size"}}},
     .latent = {.nope_dim = 128, .rope_dim = 64, .writes_half_split = true},
     .value_dim = {"v_head_dim", 128},
     .attention = {.known = true, .output_gate = OutputGate::per_head},
     .weights = {.form = QkvForm::latent,
                 .layer = "layers.{}.attention.",
                 .o = "dense",
                 .gate = "g_proj"}},
};

}  // namespace

constinit const Family family::ant{.name = "ant", .types = kTypes};

}  // namespace ropewalk
