// Rednote (Xiaohongshu). Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "dots1",
     .architecture = "Dots1ForCausalLM",
     .config_class = "Dots1Config",
     .size = {4608, 32, 62},
     .kv_heads = 32,
     .layers = {.kinds = kFullAndSliding,
                .keys = {{LayerKey::second_from, "max_window_layers", 62}}},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 4096}},
     .weights = kSeparate,
     .gguf = gguf_neox("dots1")},
};

}  // namespace

constinit const Family family::rednote{.name = "rednote", .types = kTypes};

}  // namespace ropewalk
