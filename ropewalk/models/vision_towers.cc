// Vision towers that have a config of their own.
// Source: configuration_*.py and modeling_*.py of transformers.

#include <string>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/models/family.h"
#include "ropewalk/models/vision.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"image_size", "patch_size", "spatial_merge_size"};

constexpr std::string_view kGrid =
    "RoPE half_split, rows on the first half of the pairs, columns on the second";

constexpr ModelType tower(std::string_view name, std::string_view config_class,
                          ModelType::Size size,
                          void (*read)(ConfigReader&, ModelEncoding&, const ModelType&),
                          std::string_view encoding, Pairing pairing = Pairing::half_split) {
  return {.name = name,
          .config_class = config_class,
          .size = size,
          .max_positions = 0,
          .pairing = pairing,
          .encoding = encoding,
          .read = read};
}

// Known, and no rotation by integer positions.
void read_refused(ConfigReader& config, ModelEncoding&, const ModelType& type) {
  config.refuse(ErrorCode::unsupported, "model_type", std::string(type.remark));
}

constexpr std::string_view kFractions =
    "its angles are 2 pi c theta^(-4k/head_dim) for coordinates c in -1..1: on n rows, the "
    "position "
    "2i + 1 - n of row i with the frequencies 2 pi theta^(-4k/head_dim) / n, which depend on the "
    "picture; spectrum_from_inv_freq takes them";
constexpr std::string_view kTwoAngles =
    "the two channels of a pair have different angles in its code, which is no rotation";

constexpr ModelType refused(std::string_view name, std::string_view config_class,
                            std::string_view why, std::string_view encoding) {
  ModelType type = tower(name, config_class, {}, read_refused, encoding);
  type.remark = why;
  type.rotates = false;
  return type;
}

// SAM 2 and its kin on video: the attention to memory turns as a tower does, under keys of its own.
constexpr VisionRope kMemoryAttention{.pairing = Pairing::interleaved,
                                      .axes_in_words = "column, then row"};

void read_memory_attention(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  constexpr std::string_view kSize = "memory_attention_hidden_size";
  constexpr std::string_view kRate = "memory_attention_downsample_rate";
  const int64_t size = config.find_integer(kSize, kHiddenSize).value_or(type.size.hidden_size);
  const int64_t rate = config.find_integer(kRate, {1, 65536}).value_or(1);
  if (size % rate != 0) {
    config.refuse(
        ErrorCode::malformed, kSize,
        fmt::format("expected a multiple of {}, found {}", config.pointer_to(kRate), size));
  }
  nlohmann::ordered_json tower = {{"hidden_size", size / rate}};
  KeyNames names = {{"/hidden_size", fmt::format("/{}, over /{}", kSize, kRate)}};
  const std::pair<const char*, const char*> words[] = {
      {"num_attention_heads", "memory_attention_num_attention_heads"},
      {"num_hidden_layers", "memory_attention_num_layers"},
      {"rope_theta", "memory_attention_rope_theta"},
      {"rope_parameters", "rope_parameters"}};
  for (const auto& [word, key] : words) {
    if (config.has(key)) tower[word] = config.json().at(key);
    names.emplace(fmt::format("/{}", word), fmt::format("/{}", key));
  }
  ConfigReader reader(tower, config.label(), "", model, &names);
  read_vision(reader, model, type, kMemoryAttention);
  for (const auto& [word, key] : words) config.ignore(key);
}

constexpr std::string_view kScaledCoordinates = "coordinates in -1..1 (refused)";

constexpr std::string_view kMemory =
    "RoPE interleaved in the attention to memory, columns on the first half of the head, rows on "
    "the second";

constexpr ModelType kTypes[] = {
    tower("qwen2_vl_vision", "Qwen2VLVisionConfig", {1280, 16, 32}, read_vision<kVisionGrid>,
          kGrid),
    tower("qwen2_5_vl_vision", "Qwen2_5_VLVisionConfig", {3584, 16, 32}, read_vision<kVisionGrid>,
          kGrid),
    tower("qwen3_vl_vision", "Qwen3VLVisionConfig", {1152, 16, 27}, read_vision<kVisionGrid>,
          kGrid),
    tower("qwen3_vl_moe_vision", "Qwen3VLMoeVisionConfig", {1152, 16, 27}, read_vision<kVisionGrid>,
          kGrid),
    tower("qwen3_5_vision", "Qwen3_5VisionConfig", {1152, 16, 27}, read_vision<kVisionGrid>, kGrid),
    tower("qwen3_5_moe_vision", "Qwen3_5MoeVisionConfig", {1152, 16, 27}, read_vision<kVisionGrid>,
          kGrid),
    tower("glm4v_vision", "Glm4vVisionConfig", {1536, 12, 24}, read_vision<kVisionGrid>, kGrid),
    tower("glm4v_moe_vision", "Glm4vMoeVisionConfig", {1536, 12, 24}, read_vision<kVisionGrid>,
          kGrid),
    tower("glm_ocr_vision", "GlmOcrVisionConfig", {1024, 16, 24}, read_vision<kVisionGrid>, kGrid),
    tower("paddleocr_vl_vision", "PaddleOCRVisionConfig", {1152, 16, 27}, read_vision<kVisionGrid>,
          kGrid),
    tower("mlcd_vision_model", "MLCDVisionConfig", {1664, 16, 48}, read_vision<kVisionGrid>, kGrid),
    tower("video_llama_3_vision", "VideoLlama3VisionConfig", {768, 12, 12},
          read_vision<kVisionGrid>, kGrid),
    tower("exaone4_5_vision", "Exaone4_5_VisionConfig", {3584, 16, 32}, read_vision<kVisionGrid>,
          kGrid),
    tower("muse_glimmer_vision", "MuseGlimmerVisionConfig", {1536, 16, 50},
          read_vision<kVisionGrid>, kGrid),
    tower("muse_spark_vision", "MuseSparkVisionConfig", {1536, 16, 50}, read_vision<kVisionGrid>,
          kGrid),
    tower("pixtral", "PixtralVisionConfig", {1024, 16, 24}, read_vision<kPixtralVision>,
          "RoPE half_split, rows on even frequencies, columns on odd ones"),
    tower("llama4_vision_model", "Llama4VisionConfig", {768, 16, 34}, read_vision<kLlama4Vision>,
          "RoPE interleaved, columns on the first half of the head, rows on the second",
          Pairing::interleaved),
    tower("gemma4_vision", "Gemma4VisionConfig", {768, 12, 16}, read_vision<kGemma4Vision>,
          "RoPE half_split within each half of the head: columns, then rows"),
    tower("kimi_k25_vision", "Kimi_K25VisionConfig", {1152, 16, 27}, read_vision<kKimiVision>,
          "RoPE half_split, columns and rows on pairs by turns"),
    tower("minimax_m3_vl_vision", "MiniMaxM3VLVisionConfig", {1280, 16, 32},
          read_vision<kMiniMaxVision>,
          "RoPE half_split, frame, row and column on a third of the pairs each"),
    tower("sam2_video", "Sam2VideoConfig", {256, 1, 4}, read_memory_attention, kMemory,
          Pairing::interleaved),
    tower("sam3_tracker_video", "Sam3TrackerVideoConfig", {256, 1, 4}, read_memory_attention,
          kMemory, Pairing::interleaved),
    tower("edgetam_video", "EdgeTamVideoConfig", {256, 1, 2}, read_memory_attention, kMemory,
          Pairing::interleaved),
    refused("dinov3_vit", "DINOv3ViTConfig", kFractions, kScaledCoordinates),
    refused("eomt_dinov3", "EomtDinov3Config", kFractions, kScaledCoordinates),
    refused("sapiens2", "Sapiens2Config", kFractions, kScaledCoordinates),
    refused("vjepa2", "VJEPA2Config", kTwoAngles, "two angles for a pair (refused)"),
};

}  // namespace

constinit const Family family::vision_towers{
    .name = "vision_towers", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
