// UltraBERT of the DMIS laboratory of Korea University. Source: configuration_*.py and
// modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr LayerKind kUltra[] = {
    {.name = "full_attention", .rope_theta = 2560000},
    {.name = "sliding_attention", .windowed = true, .rope_theta = 10000},
};

constexpr ModelType kTypes[] = {
    {.name = "ultrabert",
     .architecture = "UltrabertModel",
     .config_class = "UltrabertConfig",
     .size = {4096, 32, 32},
     .max_positions = 32768,
     .layers = {.kinds = kUltra, .pattern = "SSF"},
     .attention = {.known = true,
                   .mask = Mask::full,
                   .window = {.key = "sliding_window", .value = 128}},
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::dmis_lab{.name = "dmis_lab", .types = kTypes};

}  // namespace ropewalk
