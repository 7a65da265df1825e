#pragma once

#include <cstdint>
#include <string_view>

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
  std::string_view axes_in_words = "row, then column";
  std::string_view remark = {};
};

// Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4V, PaddleOCR-VL, MLCD, ...: the first half of the pairs of a
// head is turned by the row of the patch, the other half by the column.
// Source: Qwen2VLVisionRotaryEmbedding of transformers' modeling_qwen2_vl.py.
inline constexpr VisionRope kVisionGrid{};
inline constexpr VisionRope kPixtralVision{.order = MropeOrder::strided};
inline constexpr VisionRope kLlama4Vision{
    .pairing = Pairing::interleaved,
    .axes_in_words = "column, then row",
    .remark = "rows and columns are counted from 1; the class token, which is last, does not turn"};
inline constexpr VisionRope kGemma4Vision{
    .rope_theta = 100, .window_per_axis = true, .axes_in_words = "column, then row"};
inline constexpr VisionRope kKimiVision{.order = MropeOrder::alternating,
                                        .axes_in_words = "column, then row"};
inline constexpr VisionRope kMiniMaxVision{.axes = 3, .axes_in_words = "frame, row, column"};
// SAM 2 and its kin on video: the attention to memory turns as a tower does.
inline constexpr VisionRope kMemoryAttention{.pairing = Pairing::interleaved,
                                             .axes_in_words = "column, then row"};

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
inline constexpr Part kPixtralTower[] = {{.tower = &kPixtralVision, .tower_type = "pixtral"}};
inline constexpr Part kLlama4Tower[] = {{.tower = &kLlama4Vision}};
inline constexpr Part kGemma4Tower[] = {{.tower = &kGemma4Vision}};
inline constexpr Part kKimiTower[] = {{.tower = &kKimiVision}};
inline constexpr Part kMiniMaxTower[] = {{.tower = &kMiniMaxVision}};
inline constexpr Part kHalfSplitIndexer[] = {{.kind = Part::Kind::indexer}};
inline constexpr Part kInterleavedIndexer[] = {
    {.kind = Part::Kind::indexer, .pairing = Pairing::interleaved}};

}  // namespace ropewalk
