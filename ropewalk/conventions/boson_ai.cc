// Boson AI. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kHiggsRope =
    R"({"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 0.125, "high_freq_factor": 0.5,
        "original_max_position_embeddings": 1024})";

constexpr ModelType kTypes[] = {
    {.name = "higgs_audio_v2",
     .architecture = "HiggsAudioV2ForConditionalGeneration",
     .config_class = "HiggsAudioV2Config",
     .size = {3072, 24, 28},
     .head_dim = 128,
     .kv_heads = 8,
     .rope_theta = 500000,
     .rope_parameters = kHiggsRope,
     .attention = kPlainAttention,
     .weights = kSeparate},
};

}  // namespace

constinit const Family family::boson_ai{.name = "boson_ai", .types = kTypes};

}  // namespace ropewalk
