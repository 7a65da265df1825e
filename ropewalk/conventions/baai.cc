// The Beijing Academy of Artificial Intelligence. Source: configuration_*.py and modeling_*.py of
// transformers; transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "emu3_text_model",
     .config_class = "Emu3TextConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 9216,
     .rope_theta = 1000000,
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "emu3",
     .architecture = "Emu3ForConditionalGeneration",
     .config_class = "Emu3Config",
     .part = "text_config",
     .part_type = "emu3_text_model"},
    diffusion({.name = "OmniGenTransformer2DModel",
               .rope_theta = 10000,
               .encoding = "RoPE half_split on the whole head, longrope",
               .pairing = Pairing::half_split,
               .special = Special::omnigen}),
};

}  // namespace

constinit const Family family::baai{.name = "baai", .types = kTypes};

}  // namespace ropewalk
