// Apertus of the Swiss AI Initiative. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr DefaultRope::Parameter kLlama3RopeParameters[] = {
    {"factor", 8},
    {"low_freq_factor", 1},
    {"high_freq_factor", 4},
    {"original_max_position_embeddings", 8192}};
constexpr DefaultRope kLlama3Rope[] = {
    {.rope_type = "llama3", .parameters = kLlama3RopeParameters}};

constexpr ModelType kApertus{.name = "apertus",
                             .architecture = "ApertusForCausalLM",
                             .config_class = "ApertusConfig",
                             .size = {4096, 32, 32},
                             .max_positions = 65536,
                             .rope_theta = 12000000,
                             .default_rope = kLlama3Rope,
                             .attention = {.known = true, .qk_norm = rms_norm(1e-5)},
                             .weights = kSeparate,
                             .gguf = gguf_neox("apertus")};

constexpr ModelType kTypes[] = {
    kApertus,
    like(kApertus, {.name = "apertus1p5_text", .config_class = "Apertus1p5TextConfig"}),
    {.name = "apertus1p5",
     .architecture = "Apertus1p5ForConditionalGeneration",
     .config_class = "Apertus1p5Config",
     .part = "text_config",
     .part_type = "apertus1p5_text"},
    without_positions("apertus1p5_vision_tokenizer", "Apertus1p5VisionTokenizerModel",
                      "Apertus1p5VisionTokenizerConfig", kConvolutionsAlone),
};

}  // namespace

constinit const Family family::swiss_ai{.name = "swiss_ai", .types = kTypes};

}  // namespace ropewalk
