// NeoBERT of the Chandar laboratory, Mila.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    // From the description of its code (precompute_freqs_cis, complex numbers), not run beside it.
    {.name = "neobert",
     .architecture = "NeoBERT",
     .config_class = "NeoBERTConfig of chandar-lab/NeoBERT",
     .max_positions = 1024,
     .max_positions_key = "max_length",
     .pairing = Pairing::interleaved,
     .fixed_theta = true,
     .attention = {.known = true, .mask = Mask::full},
     .gguf = gguf_norm("neo-bert")},
};

}  // namespace

constinit const Family family::chandar_lab{.name = "chandar_lab", .types = kTypes};

}  // namespace ropewalk
