// Meta's models of sound and pictures. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType conformer(std::string_view name, std::string_view config_class,
                              ModelType::Size size, const RelativeRule& relative) {
  return {
      .name = name,
      .config_class = config_class,
      .size = size,
      .max_positions = 0,
      .theta_key = "rotary_embedding_base",
      .only_if = {.key = "position_embeddings_type", .value = "rotary", .else_relative = true},
      .relative = relative,
      .remark = "the input of the projections of q and k turns, in heads, and not q and k",
      .encoding =
          "RoPE half_split with position_embeddings_type rotary, else learned terms of distances"};
}

constexpr ModelType kPerceptionEncoder{
    .name = "pe_audio_encoder",
    .config_class = "PeAudioEncoderConfig",
    .size = {1792, 14, 6},
    .head_dim = 128,
    .kv_heads = 14,
    .max_positions = 10000,
    .pairing = Pairing::interleaved,
    .rope_theta = 20000,
    .attention = {.known = true, .qk_norm = rms_norm(1e-5), .mask = Mask::full}};

constexpr Part kMusicgenMelodyParts[] = {part_model("text_encoder", "text_encoder", "t5"),
                                         part_model("audio_encoder", "audio_encoder", "encodec")};
constexpr Part kOmniasrParts[] = {part_model("audio", "audio_config", "omniasr_audio")};
constexpr KeyAlias kSeamlessM4tKeys[] = {{"decoder_attention_heads", "num_attention_heads"},
                                         {"decoder_layers", "num_hidden_layers"}};
constexpr std::string_view kColumnsFirst =
    "RoPE half_split, columns on the first half of the pairs, rows on the second";

constexpr ModelType kTypes[] = {
    vision_tower({"muse_glimmer_vision",
                  "MuseGlimmerVisionConfig",
                  {1536, 16, 50},
                  &kMuseVision,
                  kColumnsFirst}),
    vision_tower({"muse_spark_vision",
                  "MuseSparkVisionConfig",
                  {1536, 16, 50},
                  &kMuseVision,
                  kColumnsFirst}),
    kPerceptionEncoder,
    like(kPerceptionEncoder, {.name = "pe_video_encoder", .config_class = "PeVideoEncoderConfig"}),
    sinusoidal_table("speech_to_text", "Speech2TextForConditionalGeneration", "Speech2TextConfig",
                     6000, kFairseqTable, kFairseqAdded),
    sinusoidal_table("musicgen_decoder", "MusicgenForCausalLM", "MusicgenDecoderConfig", 2048,
                     {.layout = SinusoidalLayout::cos_sin},
                     "sinusoidal cos_sin, added to the input"),
    {.name = "musicgen",
     .architecture = "MusicgenForConditionalGeneration",
     .config_class = "MusicgenConfig",
     .part = "decoder",
     .part_type = "musicgen_decoder"},
    conformer("wav2vec2-conformer", "Wav2Vec2ConformerConfig", {768, 12, 12},
              {.form = RelativeForm::transformer_xl}),
    conformer("wav2vec2-bert", "Wav2Vec2BertConfig", {1024, 16, 24},
              {.form = RelativeForm::shaw, .max_distance = {"left_max_position_embeddings", 64}}),
    memory_attention("sam2_video", "Sam2VideoConfig", 4),
    memory_attention("sam3_tracker_video", "Sam3TrackerVideoConfig", 4),
    memory_attention("edgetam_video", "EdgeTamVideoConfig", 2),
    refused_tower("dinov3_vit", "DINOv3ViTConfig", kFractionalCoordinates,
                  "coordinates in -1..1 (refused)"),
    refused_tower("sapiens2", "Sapiens2Config", kFractionalCoordinates,
                  "coordinates in -1..1 (refused)"),
    refused_tower(
        "vjepa2", "VJEPA2Config",
        "the two channels of a pair have different angles in its code, which is no rotation",
        "two angles for a pair (refused)"),
    without_positions("encodec", "EncodecModel", "EncodecConfig", kConvolutionsAlone),
    learned_table({.name = "hubert",
                   .architecture = "HubertForCTC",
                   .config_class = "HubertConfig",
                   .size = {768, 12, 12},
                   .positions = Positions::convolution}),
    model_of_parts({.name = "musicgen_melody",
                    .architecture = "MusicgenMelodyForCausalLM",
                    .config_class = "MusicgenMelodyConfig",
                    .part = "decoder",
                    .part_type = "musicgen_melody_decoder",
                    .parts = kMusicgenMelodyParts}),
    sinusoidal_table("musicgen_melody_decoder", "MusicgenMelodyModel",
                     "MusicgenMelodyDecoderConfig", 2048, {.layout = SinusoidalLayout::cos_sin},
                     "sinusoidal cos_sin, added to the input"),
    model_of_parts({.name = "omniasr",
                    .architecture = "OmniASRForConditionalGeneration",
                    .config_class = "OmniASRConfig",
                    .part = "text_config",
                    .part_type = "llama",
                    .parts = kOmniasrParts}),
    learned_table({.name = "omniasr_audio",
                   .architecture = "OmniASRAudioModel",
                   .config_class = "OmniASRAudioConfig",
                   .size = {1024, 16, 24},
                   .positions = Positions::convolution}),
    model_of_parts({.name = "omniasr_ctc",
                    .architecture = "OmniASRForCTC",
                    .config_class = "OmniASRCTCConfig",
                    .part = "audio_config",
                    .part_type = "omniasr_audio"}),
    relative_terms({.name = "seamless_m4t",
                    .architecture = "SeamlessM4TForTextToText",
                    .config_class = "SeamlessM4TConfig",
                    .size = {1024, 16, 24},
                    .relative = {.form = RelativeForm::transformer_xl},
                    .aliases = kSeamlessM4tKeys}),
    relative_terms({.name = "seamless_m4t_v2",
                    .architecture = "SeamlessM4Tv2ForTextToText",
                    .config_class = "SeamlessM4Tv2Config",
                    .size = {1024, 16, 24},
                    .relative = {.form = RelativeForm::shaw,
                                 .max_distance = {"left_max_position_embeddings", 64}},
                    .aliases = kSeamlessM4tKeys}),
    relative_terms({.name = "vits",
                    .architecture = "VitsModel",
                    .config_class = "VitsConfig",
                    .size = {192, 2, 6},
                    .relative = {.form = RelativeForm::shaw, .max_distance = {"window_size", 4}}}),
    learned_table({.name = "wav2vec2",
                   .architecture = "Wav2Vec2ForCTC",
                   .config_class = "Wav2Vec2Config",
                   .size = {768, 12, 12},
                   .positions = Positions::convolution}),
    {.name = "mimi_decoder",
     .architecture = "MimiDecoderModel",
     .config_class = "MimiDecoderConfig",
     .size = {512, 8, 8},
     .head_dim = 64,
     .max_positions = 8000},
    {.name = "mimi_encoder",
     .architecture = "MimiEncoderModel",
     .config_class = "MimiEncoderConfig",
     .size = {512, 8, 8},
     .head_dim = 64,
     .max_positions = 8000},
};

}  // namespace

constinit const Family family::meta_media{.name = "meta_media", .types = kTypes};

}  // namespace ropewalk
