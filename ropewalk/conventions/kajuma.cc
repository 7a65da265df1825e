// DiffLlama of weak-kajuma. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "diffllama",
     .architecture = "DiffLlamaForCausalLM",
     .config_class = "DiffLlamaConfig",
     .size = {2048, 32, 16},
     .attention = {.known = true, .not_computed = kDifferential},
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::kajuma{.name = "kajuma", .types = kTypes};

}  // namespace ropewalk
