// Models of sound and of other series that rotate.
// Source: configuration_*.py and modeling_*.py of transformers.

#include <fmt/format.h>

#include "ropewalk/models/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kHiggsRope =
    R"({"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 0.125, "high_freq_factor": 0.5,
        "original_max_position_embeddings": 1024})";

// Rotary positions are one of the choices of these classes, and not the default.
void read_conformer(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  constexpr std::string_view kKey = "position_embeddings_type";
  const auto stated = config.find_text(kKey);
  if (stated == "rotary") {
    config.note("encoding", "rotary", config.source(kKey));
    return read_declared(config, model, type);
  }
  config.refuse(
      ErrorCode::unsupported, kKey,
      fmt::format("expected \"rotary\", because relative positions of a {} are weights of "
                  "its checkpoint, found {}",
                  type.name, stated ? fmt::format("\"{}\"", escaped(*stated)) : "no such key"));
}

constexpr ModelType conformer(std::string_view name, std::string_view config_class,
                              ModelType::Size size) {
  return {
      .name = name,
      .config_class = config_class,
      .size = size,
      .max_positions = 0,
      .theta_key = "rotary_embedding_base",
      .remark = "the input of the projections of q and k turns, in heads, and not q and k",
      .encoding = "RoPE half_split with position_embeddings_type rotary, else relative (refused)",
      .read = read_conformer};
}

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
    {.name = "dia_decoder",
     .config_class = "DiaDecoderConfig",
     .size = {2048, 16, 18},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 3072},
    {.name = "dia_encoder",
     .config_class = "DiaEncoderConfig",
     .size = {1024, 16, 12},
     .head_dim = 128,
     .kv_heads = 16,
     .max_positions = 1024},
    {.name = "dia",
     .architecture = "DiaForConditionalGeneration",
     .config_class = "DiaConfig",
     .part = "decoder_config",
     .part_type = "dia_decoder"},
    {.name = "higgs_audio_v2",
     .architecture = "HiggsAudioV2ForConditionalGeneration",
     .config_class = "HiggsAudioV2Config",
     .size = {3072, 24, 28},
     .head_dim = 128,
     .kv_heads = 8,
     .rope_theta = 500000,
     .rope_parameters = kHiggsRope},
    {.name = "moonshine",
     .architecture = "MoonshineForConditionalGeneration",
     .config_class = "MoonshineConfig",
     .size = {288, 8, 6},
     .max_positions = 512,
     .pairing = Pairing::interleaved,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.9,
     .remark = "the heads of the decoder"},
    {.name = "csm_depth_decoder_model",
     .config_class = "CsmDepthDecoderConfig",
     .size = {1024, 8, 4},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 33,
     .rope_theta = 500000},
    {.name = "glmasr_encoder",
     .config_class = "GlmAsrEncoderConfig",
     .size = {1280, 20, 32},
     .kv_heads = 20,
     .max_positions = 1500,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5},
    {.name = "glmasr",
     .architecture = "GlmAsrForConditionalGeneration",
     .config_class = "GlmAsrConfig",
     .part = "text_config",
     .part_type = "llama"},
    {.name = "voxtral_realtime_encoder",
     .config_class = "VoxtralRealtimeEncoderConfig",
     .size = {1280, 32, 32},
     .head_dim = 64,
     .kv_heads = 32,
     .max_positions = 1500},
    {.name = "voxtral_realtime",
     .architecture = "VoxtralRealtimeForConditionalGeneration",
     .config_class = "VoxtralRealtimeConfig",
     .part = "text_config",
     .part_type = "voxtral_realtime_text"},
    {.name = "pe_audio_encoder",
     .config_class = "PeAudioEncoderConfig",
     .size = {1792, 14, 6},
     .head_dim = 128,
     .kv_heads = 14,
     .max_positions = 10000,
     .pairing = Pairing::interleaved,
     .rope_theta = 20000,
     .q_k_norm = kNormBefore},
    {.name = "pe_video_encoder",
     .config_class = "PeVideoEncoderConfig",
     .size = {1792, 14, 6},
     .head_dim = 128,
     .kv_heads = 14,
     .max_positions = 10000,
     .pairing = Pairing::interleaved,
     .rope_theta = 20000,
     .q_k_norm = kNormBefore},
    {.name = "lasr_encoder",
     .config_class = "LasrEncoderConfig",
     .size = {512, 8, 17},
     .kv_heads = 8,
     .max_positions = 10000},
    conformer("wav2vec2-conformer", "Wav2Vec2ConformerConfig", {768, 12, 12}),
    conformer("wav2vec2-bert", "Wav2Vec2BertConfig", {1024, 16, 24}),
};

}  // namespace

constinit const Family family::speech{.name = "speech", .types = kTypes};

}  // namespace ropewalk
