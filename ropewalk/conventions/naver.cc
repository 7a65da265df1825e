// NAVER. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "hyperclovax",
     .architecture = "HyperCLOVAXForCausalLM",
     .config_class = "HyperCLOVAXConfig",
     .size = {4096, 32, 32},
     .attention = {.known = true, .scale = {.key = "attention_multiplier"}},
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::naver{.name = "naver", .types = kTypes};

}  // namespace ropewalk
