// LLaVA and its kin keep a language model of another type whole. Source: configuration_*.py and
// modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "llava",
     .architecture = "LlavaForConditionalGeneration",
     .config_class = "LlavaConfig",
     .part = "text_config",
     .part_type = "llama",
     .parts = kPixtralTower},
    {.name = "llava_next",
     .architecture = "LlavaNextForConditionalGeneration",
     .config_class = "LlavaNextConfig",
     .part = "text_config",
     .part_type = "llama"},
    {.name = "vipllava",
     .architecture = "VipLlavaForConditionalGeneration",
     .config_class = "VipLlavaConfig",
     .part = "text_config",
     .part_type = "llama"},
};

}  // namespace

constinit const Family family::llava{.name = "llava", .types = kTypes};

}  // namespace ropewalk
