// Andrej Karpathy's nanochat. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    // The only one that turns the other way.
    {.name = "nanochat",
     .architecture = "NanoChatForCausalLM",
     .config_class = "NanoChatConfig",
     .size = {768, 6, 12},
     .reversed = true,
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms,
                                        .place = NormPlace::after_rotation,
                                        .eps = 1e-6,
                                        .weights = false}}},
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::karpathy{.name = "karpathy", .types = kTypes};

}  // namespace ropewalk
