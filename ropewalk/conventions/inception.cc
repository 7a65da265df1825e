// Jais of Inception. Source: modeling_jais.py of inceptionai/jais-13b; configuration_jais2.py and
// modeling_jais2.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "jais",
     .architecture = "JAISLMHeadModel",
     .config_class = "JAISConfig",
     .positions = Positions::alibi,
     .only_if = {.key = "position_embedding_type", .value = "alibi"},
     .learned = {.tensor = "wpe.weight"},
     .attention = kPlainAttention,
     .gguf = {"jais"},
     .encoding = "ALiBi with position_embedding_type alibi, else a learned table"},
    {.name = "jais2",
     .architecture = "Jais2ForCausalLM",
     .config_class = "Jais2Config",
     .size = {3328, 26, 32},
     .max_positions = 8192,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_neox("jais2")},
};

}  // namespace

constinit const Family family::inception{.name = "inception", .types = kTypes};

}  // namespace ropewalk
