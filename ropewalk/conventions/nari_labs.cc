// Nari Labs. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "dia_decoder",
     .config_class = "DiaDecoderConfig",
     .size = {2048, 16, 18},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 3072,
     .attention = {.known = true, .scale = {.value = 1}}},
    {.name = "dia_encoder",
     .config_class = "DiaEncoderConfig",
     .size = {1024, 16, 12},
     .head_dim = 128,
     .kv_heads = 16,
     .max_positions = 1024,
     .attention = {.known = true, .scale = {.value = 1}, .mask = Mask::full}},
    {.name = "dia",
     .architecture = "DiaForConditionalGeneration",
     .config_class = "DiaConfig",
     .part = "decoder_config",
     .part_type = "dia_decoder"},
};

}  // namespace

constinit const Family family::nari_labs{.name = "nari_labs", .types = kTypes};

}  // namespace ropewalk
