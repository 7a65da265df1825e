// BigCode. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "starcoder2",
     .architecture = "Starcoder2ForCausalLM",
     .config_class = "Starcoder2Config",
     .size = {3072, 24, 30},
     .kv_heads = 2,
     .max_positions = 4096,
     .attention = {.known = true,
                   .window = {.key = "sliding_window", .value = 0, .all_layers = true}},
     .weights = kSeparate,
     .gguf = gguf_neox("starcoder2")},
    learned_table({.name = "gpt_bigcode",
                   .architecture = "GPTBigCodeForCausalLM",
                   .config_class = "GPTBigCodeConfig",
                   .size = {768, 12, 12},
                   .max_positions = 1024,
                   .learned = {.tensor = "wpe.weight"},
                   .mask = Mask::causal}),
};

}  // namespace

constinit const Family family::bigcode{.name = "bigcode", .types = kTypes};

}  // namespace ropewalk
