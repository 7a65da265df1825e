// Boson AI. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr DefaultRope::Parameter kHiggsRopeParameters[] = {
    {"factor", 32},
    {"low_freq_factor", 0.125},
    {"high_freq_factor", 0.5},
    {"original_max_position_embeddings", 1024}};
constexpr DefaultRope kHiggsRope[] = {{.rope_type = "llama3", .parameters = kHiggsRopeParameters}};

constexpr Part kHiggsAudioV2TokenizerParts[] = {
    part_model("semantic_model", "semantic_model_config", "hubert")};

constexpr ModelType kTypes[] = {
    {.name = "higgs_audio_v2",
     .architecture = "HiggsAudioV2ForConditionalGeneration",
     .config_class = "HiggsAudioV2Config",
     .size = {3072, 24, 28},
     .head_dim = 128,
     .kv_heads = 8,
     .rope_theta = 500000,
     .default_rope = kHiggsRope,
     .attention = kPlainAttention,
     .weights = kSeparate},
    model_of_parts({.name = "higgs_audio_v2_tokenizer",
                    .architecture = "HiggsAudioV2TokenizerModel",
                    .config_class = "HiggsAudioV2TokenizerConfig",
                    .part = "acoustic_model_config",
                    .part_type = "dac",
                    .parts = kHiggsAudioV2TokenizerParts}),
};

}  // namespace

constinit const Family family::boson_ai{.name = "boson_ai", .types = kTypes};

}  // namespace ropewalk
