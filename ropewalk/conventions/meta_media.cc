// Meta's models of sound and pictures. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType conformer(std::string_view name, std::string_view config_class,
                              ModelType::Size size) {
  return {
      .name = name,
      .config_class = config_class,
      .size = size,
      .max_positions = 0,
      .theta_key = "rotary_embedding_base",
      .only_if = {.key = "position_embeddings_type",
                  .value = "rotary",
                  .refusal = "expected \"rotary\", found another; relative positions are weights "
                             "of the checkpoint"},
      .remark = "the input of the projections of q and k turns, in heads, and not q and k",
      .encoding = "RoPE half_split with position_embeddings_type rotary, else relative (refused)"};
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

constexpr ModelType kTypes[] = {
    vision_tower({"muse_glimmer_vision", "MuseGlimmerVisionConfig", {1536, 16, 50}}),
    vision_tower({"muse_spark_vision", "MuseSparkVisionConfig", {1536, 16, 50}}),
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
    conformer("wav2vec2-conformer", "Wav2Vec2ConformerConfig", {768, 12, 12}),
    conformer("wav2vec2-bert", "Wav2Vec2BertConfig", {1024, 16, 24}),
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
};

}  // namespace

constinit const Family family::meta_media{.name = "meta_media", .types = kTypes};

}  // namespace ropewalk
