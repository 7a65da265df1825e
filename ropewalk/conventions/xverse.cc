// XVERSE. Source: the code that came with the files.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "xverse",
     .architecture = "XverseForCausalLM",
     .config_class = "XverseConfig",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("xverse")},
};

}  // namespace

constinit const Family family::xverse{.name = "xverse", .types = kTypes};

}  // namespace ropewalk
