// Vision towers that have a config of their own.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"image_size", "patch_size", "spatial_merge_size"};

constexpr ModelType kTypes[] = {
    vision_tower({"qwen2_vl_vision", "Qwen2VLVisionConfig", {1280, 16, 32}}),
    vision_tower({"qwen2_5_vl_vision", "Qwen2_5_VLVisionConfig", {3584, 16, 32}}),
    vision_tower({"qwen3_vl_vision", "Qwen3VLVisionConfig", {1152, 16, 27}}),
    vision_tower({"qwen3_vl_moe_vision", "Qwen3VLMoeVisionConfig", {1152, 16, 27}}),
    vision_tower({"qwen3_5_vision", "Qwen3_5VisionConfig", {1152, 16, 27}}),
    vision_tower({"qwen3_5_moe_vision", "Qwen3_5MoeVisionConfig", {1152, 16, 27}}),
    vision_tower({"glm4v_vision", "Glm4vVisionConfig", {1536, 12, 24}}),
    vision_tower({"glm4v_moe_vision", "Glm4vMoeVisionConfig", {1536, 12, 24}}),
    vision_tower({"glm_ocr_vision", "GlmOcrVisionConfig", {1024, 16, 24}}),
    vision_tower({"paddleocr_vl_vision", "PaddleOCRVisionConfig", {1152, 16, 27}}),
    vision_tower({"mlcd_vision_model", "MLCDVisionConfig", {1664, 16, 48}}),
    vision_tower({"video_llama_3_vision", "VideoLlama3VisionConfig", {768, 12, 12}}),
    vision_tower({"exaone4_5_vision", "Exaone4_5_VisionConfig", {3584, 16, 32}}),
    vision_tower({"muse_glimmer_vision", "MuseGlimmerVisionConfig", {1536, 16, 50}}),
    vision_tower({"muse_spark_vision", "MuseSparkVisionConfig", {1536, 16, 50}}),
    vision_tower({"pixtral",
                  "PixtralVisionConfig",
                  {1024, 16, 24},
                  &kPixtralVision,
                  "RoPE half_split, rows on even frequencies, columns on odd ones"}),
    vision_tower({"llama4_vision_model",
                  "Llama4VisionConfig",
                  {768, 16, 34},
                  &kLlama4Vision,
                  "RoPE interleaved, columns on the first half of the head, rows on the second"}),
    vision_tower({"gemma4_vision",
                  "Gemma4VisionConfig",
                  {768, 12, 16},
                  &kGemma4Vision,
                  "RoPE half_split within each half of the head: columns, then rows"}),
    vision_tower({"kimi_k25_vision",
                  "Kimi_K25VisionConfig",
                  {1152, 16, 27},
                  &kKimiVision,
                  "RoPE half_split, columns and rows on pairs by turns"}),
    vision_tower({"minimax_m3_vl_vision",
                  "MiniMaxM3VLVisionConfig",
                  {1280, 16, 32},
                  &kMiniMaxVision,
                  "RoPE half_split, frame, row and column on a third of the pairs each"}),
    memory_attention("sam2_video", "Sam2VideoConfig", 4),
    memory_attention("sam3_tracker_video", "Sam3TrackerVideoConfig", 4),
    memory_attention("edgetam_video", "EdgeTamVideoConfig", 2),
    refused_tower("dinov3_vit", "DINOv3ViTConfig", kFractionalCoordinates,
                  "coordinates in -1..1 (refused)"),
    refused_tower("eomt_dinov3", "EomtDinov3Config", kFractionalCoordinates,
                  "coordinates in -1..1 (refused)"),
    refused_tower("sapiens2", "Sapiens2Config", kFractionalCoordinates,
                  "coordinates in -1..1 (refused)"),
    refused_tower(
        "vjepa2", "VJEPA2Config",
        "the two channels of a pair have different angles in its code, which is no rotation",
        "two angles for a pair (refused)"),
};

}  // namespace

constinit const Family family::vision_towers{
    .name = "vision_towers", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
