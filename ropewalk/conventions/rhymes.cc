// Rhymes AI. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kAriaParts[] = {part_model("vision", "vision_config", "idefics3_vision")};

constexpr ModelType kTypes[] = {
    {.name = "aria_text",
     .architecture = "AriaTextForCausalLM",
     .config_class = "AriaTextConfig",
     .size = {4096, 32, 32},
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "aria",
     .architecture = "AriaForConditionalGeneration",
     .config_class = "AriaConfig",
     .part = "text_config",
     .part_type = "aria_text",
     .parts = kAriaParts},
};

}  // namespace

constinit const Family family::rhymes{.name = "rhymes", .types = kTypes};

}  // namespace ropewalk
