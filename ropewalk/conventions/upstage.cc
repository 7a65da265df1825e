// Upstage. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "solar_open",
     .architecture = "SolarOpenForCausalLM",
     .config_class = "SolarOpenConfig",
     .size = {4096, 64, 48},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 1000000,
     .fraction = Fraction::leading,
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "solar",
     .architecture = "SolarForCausalLM",
     .config_class = "SolarConfig",
     .size = {4096, 32, 32}},
};

}  // namespace

constinit const Family family::upstage{.name = "upstage", .types = kTypes};

}  // namespace ropewalk
