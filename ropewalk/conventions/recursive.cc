// Recursive. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "flint",
     .architecture = "FlintForCausalLM",
     .config_class = "FlintConfig",
     .size = {2048, 32, 49},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 262144,
     .layers = {.kinds = kFullPassesSlidingTurns, .pattern = "F|SFSS|F"},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 513},
                   .sinks = true},
     .weights = {.form = QkvForm::separate, .sinks = "softmax_offset"}},
};

}  // namespace

constinit const Family family::recursive{.name = "recursive", .types = kTypes};

}  // namespace ropewalk
