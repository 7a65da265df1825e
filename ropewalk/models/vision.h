#pragma once

#include "ropewalk/models/config_reader.h"
#include "ropewalk/models/model_type.h"

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

// Adds the encoding "vision" of /vision_config, if the file has one.
void add_vision(ConfigReader& config, ModelEncoding& model, const VisionRope& tower);

template <const VisionRope& kTower>
void add_vision(ConfigReader& config, ModelEncoding& model) {
  add_vision(config, model, kTower);
}

inline void add_vision_grid(ConfigReader& config, ModelEncoding& model) {
  add_vision(config, model, kVisionGrid);
}

// The tower of Pixtral, where the file names it: other models of the same type have other towers,
// without rotation.
void add_pixtral_vision(ConfigReader& config, ModelEncoding& model);

// A tower that has a config of its own.
void read_vision(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                 const VisionRope& tower);

template <const VisionRope& kTower>
void read_vision(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_vision(config, model, type, kTower);
}

}  // namespace ropewalk
