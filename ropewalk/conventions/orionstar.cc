// OrionStar. Source: the code that came with the files.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "orion",
     .architecture = "OrionForCausalLM",
     .config_class = "OrionConfig",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_neox("orion")},
};

}  // namespace

constinit const Family family::orionstar{.name = "orionstar", .types = kTypes};

}  // namespace ropewalk
