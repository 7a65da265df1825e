// Models of sound and of other series that rotate.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/models/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "moonshine_streaming",
     .architecture = "MoonshineStreamingForConditionalGeneration",
     .config_class = "MoonshineStreamingConfig",
     .size = {320, 8, 6},
     .max_positions = 4096,
     .pairing = Pairing::interleaved,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.8,
     .remark = "the heads of the decoder"},
    {.name = "mimi",
     .architecture = "MimiModel",
     .config_class = "MimiConfig",
     .size = {512, 8, 8},
     .kv_heads = 8,
     .max_positions = 8000},
    {.name = "moshi",
     .architecture = "MoshiForConditionalGeneration",
     .config_class = "MoshiConfig",
     .size = {4096, 32, 32},
     .max_positions = 3000},
    {.name = "kyutai_speech_to_text",
     .architecture = "KyutaiSpeechToTextForConditionalGeneration",
     .config_class = "KyutaiSpeechToTextConfig",
     .size = {2048, 32, 48},
     .max_positions = 750},
    {.name = "csm",
     .architecture = "CsmForConditionalGeneration",
     .config_class = "CsmConfig",
     .size = {2048, 32, 16},
     .kv_heads = 8,
     .rope_theta = 500000},
    {.name = "timesfm2_5",
     .architecture = "TimesFm2_5ModelForPrediction",
     .config_class = "TimesFm2_5Config",
     .size = {1280, 16, 20},
     .head_dim = 80,
     .kv_heads = 16,
     .max_positions = 16384,
     .q_k_norm = kNormAfter},
    {.name = "xcodec2",
     .architecture = "Xcodec2Model",
     .config_class = "Xcodec2Config",
     .size = {1024, 16, 12},
     .head_dim = 64,
     .kv_heads = 16,
     .max_positions = 4096},
    {.name = "neucodec",
     .architecture = "NeuCodecModel",
     .config_class = "NeuCodecConfig",
     .size = {1024, 16, 12},
     .head_dim = 64,
     .kv_heads = 16,
     .max_positions = 4096},
};

}  // namespace

constinit const Family family::speech{.name = "speech", .types = kTypes};

}  // namespace ropewalk
