// A.X of SK Telecom. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "axk1",
     .architecture = "AXK1ForCausalLM",
     .config_class = "AXK1Config",
     .size = {7168, 64, 61},
     .kv_heads = 64,
     .max_positions = 32768,
     .pairing = Pairing::interleaved,
     .yarn_type = kDeepseekYarn,
     .latent = kLatentOfDeepseekV3,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent},
    {.name = "axk2",
     .architecture = "AXK2ForCausalLM",
     .config_class = "AXK2Config",
     .size = {2048, 32, 48},
     .kv_heads = 32,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .latent =
         {.nope_dim = 64, .rope_dim = 32, .writes_half_split = true, .q_rank = 384, .kv_rank = 128},
     .value_dim = {"v_head_dim", 64},
     .attention = {.known = true, .not_computed = kSparseIndexer},
     .parts = kHalfSplitIndexer},
};

}  // namespace

constinit const Family family::skt{.name = "skt", .types = kTypes};

}  // namespace ropewalk
