// SmallDoge. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "doge",
     .architecture = "DogeForCausalLM",
     .config_class = "DogeConfig",
     .size = {1024, 8, 32},
     .attention = {.known = true, .qk_norm = rms_norm(1e-6), .not_computed = kDynamicMask},
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::small_doge{.name = "small_doge", .types = kTypes};

}  // namespace ropewalk
