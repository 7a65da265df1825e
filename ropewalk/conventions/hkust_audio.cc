// The audio group of the Hong Kong University of Science and Technology. Source: configuration_*.py
// and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kXcodecParts[] = {part_model("semantic_model", "semantic_model_config", "hubert")};

constexpr ModelType kTypes[] = {
    {.name = "xcodec2",
     .architecture = "Xcodec2Model",
     .config_class = "Xcodec2Config",
     .size = {1024, 16, 12},
     .head_dim = 64,
     .kv_heads = 16,
     .max_positions = 4096,
     .attention = {.known = true, .mask = Mask::full}},
    model_of_parts({.name = "xcodec",
                    .architecture = "XcodecModel",
                    .config_class = "XcodecConfig",
                    .part = "acoustic_model_config",
                    .part_type = "dac",
                    .parts = kXcodecParts}),
};

}  // namespace

constinit const Family family::hkust_audio{.name = "hkust_audio", .types = kTypes};

}  // namespace ropewalk
