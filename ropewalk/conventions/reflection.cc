// Reflection AI. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "beam",
     .architecture = "BeamForCausalLM",
     .config_class = "BeamConfig",
     .size = {5120, 48, 52},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 8192,
     .layers = {.kinds = kFullPassesSlidingTurns, .pattern = "|SSSSSF|F"},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 512},
                   .output_gate = OutputGate::per_channel,
                   .not_computed = kGrowingQueries},
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::reflection{.name = "reflection", .types = kTypes};

}  // namespace ropewalk
