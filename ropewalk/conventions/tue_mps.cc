// EoMT of the Eindhoven University of Technology. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    refused_tower("eomt_dinov3", "EomtDinov3Config", kFractionalCoordinates,
                  "coordinates in -1..1 (refused)"),
    learned_table({.name = "eomt",
                   .architecture = "EomtForUniversalSegmentation",
                   .config_class = "EomtConfig",
                   .size = {1024, 16, 24},
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .picture = {.image = 640, .patch = 16}}}),
    learned_table({.name = "videomt",
                   .architecture = "VideomtForUniversalSegmentation",
                   .config_class = "VideomtConfig",
                   .size = {1024, 16, 24},
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .picture = {.image = 640, .patch = 16}}}),
};

}  // namespace

constinit const Family family::tue_mps{.name = "tue_mps", .types = kTypes};

}  // namespace ropewalk
