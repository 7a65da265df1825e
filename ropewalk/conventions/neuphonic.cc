// Neuphonic. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "neucodec",
     .architecture = "NeuCodecModel",
     .config_class = "NeuCodecConfig",
     .size = {1024, 16, 12},
     .head_dim = 64,
     .kv_heads = 16,
     .max_positions = 4096,
     .attention = {.known = true, .mask = Mask::full}},
};

}  // namespace

constinit const Family family::neuphonic{.name = "neuphonic", .types = kTypes};

}  // namespace ropewalk
