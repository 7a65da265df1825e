#pragma once

#include <cstdint>
#include <string_view>

#include "ropewalk/encoding/patch_grid.h"
#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// How a vision tower turns the patches of a grid: each axis has the frequencies
//   inv_freq_i = rope_theta^(-2i / d)
// with d = head_dim/2 for two axes and 2 floor(head_dim/6) for three, the channels that are left
// pass.
struct VisionRope {
  Pairing pairing = Pairing::half_split;
  // strided: both axes share the list of the whole head. alternating: they take turns.
  MropeOrder order = MropeOrder::contiguous;
  int64_t axes = 2;
  double rope_theta = 10000;
  bool window_per_axis = false;  // pairs lie within the axis's own channels
  // How its patches are numbered; .merge is the default where the file has no such key.
  PatchGrid patches = {};
  std::string_view merge_key = {};  // "": no key changes .merge
};

// Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4V, ...: the first half of the pairs of a head is turned by
// the row of the patch, the other half by the column.
// Source: Qwen2VLVisionRotaryEmbedding of transformers' modeling_qwen2_vl.py; for the patches,
// forward of each tower, get_vision_position_ids of vision_utils.py, Gemma 4's image processor.
inline constexpr VisionRope kVisionGrid{.patches = {.merge = 2}, .merge_key = "spatial_merge_size"};
// PaddleOCR-VL, MLCD (whose class token, which is first, turns by learned angles).
inline constexpr VisionRope kVisionRows{};
// Each picture comes with a merge of its own.
inline constexpr VisionRope kVideoLlamaVision{.patches = {.merge = 0}};
inline constexpr VisionRope kMuseVision{.patches = {.axes = PatchAxes::wh, .first = 1}};
inline constexpr VisionRope kPixtralVision{.order = MropeOrder::strided};
inline constexpr VisionRope kLlama4Vision{
    .pairing = Pairing::interleaved,
    .patches = {.axes = PatchAxes::wh, .first = 1, .class_token = true}};
inline constexpr VisionRope kGemma4Vision{
    .rope_theta = 100, .window_per_axis = true, .patches = {.axes = PatchAxes::wh}};
inline constexpr VisionRope kKimiVision{.order = MropeOrder::alternating,
                                        .patches = {.axes = PatchAxes::wh}};
inline constexpr VisionRope kMiniMaxVision{
    .axes = 3, .patches = {.axes = PatchAxes::thw, .merge = 2}, .merge_key = "spatial_merge_size"};
// SAM 2 and its kin on video: the attention to memory turns as a tower does.
inline constexpr VisionRope kMemoryAttention{.pairing = Pairing::interleaved,
                                             .patches = {.axes = PatchAxes::wh}};

// What else of a model knows positions, beside its layers of text.
struct Part {
  enum class Kind {
    vision_tower,  // of /vision_config, if the file has one
    indexer,       // chooses what to attend to: the first channels of /index_head_dim turn
    model,         // a model of its own, in the object under `key`
  };
  Kind kind = Kind::vision_tower;
  std::string_view name = {};  // "vision": of a model ...
  std::string_view key = {};   // ... in this object: "vision_config" ...
  std::string_view type = {};  // ... of this model_type, if it names none
  const VisionRope* tower = nullptr;
  // Only where /vision_config/model_type is this: other models of the same type have other towers,
  // without rotation.
  std::string_view tower_type = {};
  Pairing pairing = Pairing::half_split;  // of the indexer
};

inline constexpr Part kGridTower[] = {{.tower = &kVisionGrid}};
inline constexpr Part kRowsTower[] = {{.tower = &kVisionRows}};
inline constexpr Part kMuseTower[] = {{.tower = &kMuseVision}};
inline constexpr Part kPixtralTower[] = {{.tower = &kPixtralVision, .tower_type = "pixtral"}};
inline constexpr Part kLlama4Tower[] = {{.tower = &kLlama4Vision}};
inline constexpr Part kGemma4Tower[] = {{.tower = &kGemma4Vision}};
inline constexpr Part kKimiTower[] = {{.tower = &kKimiVision}};
inline constexpr Part kMiniMaxTower[] = {{.tower = &kMiniMaxVision}};
inline constexpr Part kHalfSplitIndexer[] = {{.kind = Part::Kind::indexer}};
inline constexpr Part kInterleavedIndexer[] = {
    {.kind = Part::Kind::indexer, .pairing = Pairing::interleaved}};

}  // namespace ropewalk
