// Westlake University. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "evolla",
     .architecture = "EvollaForProteinText2Text",
     .config_class = "EvollaConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 8192,
     .rope_theta = 500000},
    {.name = "EvollaModel",
     .architecture = "EvollaModel",
     .config_class = "EvollaConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 8192,
     .rope_theta = 500000},
};

}  // namespace

constinit const Family family::westlake{.name = "westlake", .types = kTypes};

}  // namespace ropewalk
