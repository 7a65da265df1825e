// Kyutai. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "helium",
     .architecture = "HeliumForCausalLM",
     .config_class = "HeliumConfig",
     .size = {2560, 20, 24},
     .head_dim = 128,
     .kv_heads = 20,
     .max_positions = 4096,
     .pairing = Pairing::interleaved,
     .rope_theta = 100000,
     .attention = kPlainAttention,
     .weights = kSeparate},
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
     .max_positions = 3000,
     .attention = kPlainAttention},
    {.name = "kyutai_speech_to_text",
     .architecture = "KyutaiSpeechToTextForConditionalGeneration",
     .config_class = "KyutaiSpeechToTextConfig",
     .size = {2048, 32, 48},
     .max_positions = 750,
     .attention = kPlainAttention},
    without_positions("moshi_depth", "MoshiDepthDecoder", "MoshiDepthConfig", kNoOrder),
    {.name = "gradium_phonon_tts",
     .architecture = "GradiumPhononTTSModel",
     .config_class = "GradiumPhononTTSConfig",
     .size = {768, 12, 6},
     .head_dim = 64,
     .max_positions = 8192},
    {.name = "pocket_tts",
     .architecture = "PocketTTSModel",
     .config_class = "PocketTTSConfig",
     .size = {1024, 16, 6},
     .head_dim = 64,
     .max_positions = 8192,
     .gguf = gguf_norm("pockettts")},
    {.name = "pocket_tts_audio_tokenizer",
     .architecture = "PocketTTSAudioTokenizerModel",
     .config_class = "PocketTTSAudioTokenizerConfig",
     .size = {512, 8, 2},
     .head_dim = 64,
     .max_positions = 8000},
    {.name = "pocket_tts_audio_tokenizer_decoder",
     .architecture = "PocketTTSAudioTokenizerDecoderModel",
     .config_class = "PocketTTSAudioTokenizerDecoderConfig",
     .size = {512, 8, 2},
     .head_dim = 64,
     .max_positions = 8000},
    {.name = "pocket_tts_audio_tokenizer_encoder",
     .architecture = "PocketTTSAudioTokenizerEncoderModel",
     .config_class = "PocketTTSAudioTokenizerEncoderConfig",
     .size = {512, 8, 2},
     .head_dim = 64,
     .max_positions = 8000},
};

}  // namespace

constinit const Family family::kyutai{.name = "kyutai", .types = kTypes};

}  // namespace ropewalk
