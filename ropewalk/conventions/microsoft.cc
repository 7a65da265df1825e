// Microsoft's models beside Phi. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "bitnet",
     .architecture = "BitNetForCausalLM",
     .config_class = "BitNetConfig",
     .size = {2560, 20, 30},
     .kv_heads = 5,
     .rope_theta = 500000,
     .attention = {.known = true,
                   .qk_norm = {.norm = {.eps = 1e-5}},
                   .output_norm = {.kind = NormKind::rms,
                                   .extent = NormExtent::all_heads,
                                   .eps = 1e-5}},
     .weights = kSeparate,
     .gguf = gguf_neox("bitnet")},
    learned_table("mpnet", "MPNetModel"),
    learned_table("deberta-v2", "DebertaV2Model"),
    learned_table("biogpt", "BioGptForCausalLM"),
};

}  // namespace

constinit const Family family::microsoft{.name = "microsoft", .types = kTypes};

}  // namespace ropewalk
