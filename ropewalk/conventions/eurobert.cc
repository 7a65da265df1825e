// EuroBERT. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "eurobert",
     .architecture = "EuroBertModel",
     .config_class = "EuroBertConfig",
     .size = {768, 12, 12},
     .max_positions = 8192,
     .attention = {.known = true, .mask = Mask::full},
     .weights = kSeparate,
     .gguf = gguf_neox("eurobert")},
};

}  // namespace

constinit const Family family::eurobert{.name = "eurobert", .types = kTypes};

}  // namespace ropewalk
