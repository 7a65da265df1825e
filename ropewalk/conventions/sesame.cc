// Sesame. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "csm",
     .architecture = "CsmForConditionalGeneration",
     .config_class = "CsmConfig",
     .size = {2048, 32, 16},
     .kv_heads = 8,
     .rope_theta = 500000,
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "csm_depth_decoder_model",
     .config_class = "CsmDepthDecoderConfig",
     .size = {1024, 8, 4},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 33,
     .rope_theta = 500000,
     .attention = kPlainAttention,
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::sesame{.name = "sesame", .types = kTypes};

}  // namespace ropewalk
