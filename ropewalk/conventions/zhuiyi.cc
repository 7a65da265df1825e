// Zhuiyi Technology. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "roformer",
     .architecture = "RoFormerModel",
     .config_class = "RoFormerConfig",
     .max_positions = 1536,
     .pairing = Pairing::interleaved,
     .fixed_theta = true,
     .attention = {.known = true, .mask = Mask::full},
     .weights = {.form = QkvForm::separate,
                 .layer = "layer.{}.attention.",
                 .q = "self.query",
                 .k = "self.key",
                 .v = "self.value",
                 .o = "output.dense"}},
};

}  // namespace

constinit const Family family::zhuiyi{.name = "zhuiyi", .types = kTypes};

}  // namespace ropewalk
