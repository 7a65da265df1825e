// Biohub (before: EvolutionaryScale). Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "esmc",
     .architecture = "EsmcModel",
     .config_class = "EsmcConfig",
     .size = {2560, 40, 80},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::layer,
                                        .extent = NormExtent::all_heads,
                                        .eps = 1e-5},
                               .eps_key = {}},
                   .mask = Mask::full},
     .weights = kSeparate},
    relative_terms({.name = "esmfold2",
                    .architecture = "EsmFold2Model",
                    .config_class = "EsmFold2Config",
                    .relative = {.form = RelativeForm::distance_table}}),
};

}  // namespace

constinit const Family family::biohub{.name = "biohub", .types = kTypes};

}  // namespace ropewalk
