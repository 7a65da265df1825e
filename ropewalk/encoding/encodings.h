#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ropewalk/base/dtype.h"
#include "ropewalk/encoding/rotary_layout.h"
#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// Rotary position embedding as the model's file states it; nothing derived.
//   inv_freq_i = rope_theta^(-2i / rotary_dim),  i = 0 .. rotary_dim/2 - 1, once per position axis
struct RopeConfig {
  double rope_theta = 10000;
  std::string rope_type = "default";
  int64_t rotary_dim = 0;             // channels that share one list of frequencies; see axis_dims
  int64_t position_axes = 1;          // 2 for ChatGLM-6B: position and block position
  DType inv_freq_dtype = DType::f32;  // in which the model keeps inv_freq: f16 ChatGLM-6B, f64 FLUX
  // Of the rope_type, by the keys of Hugging Face; true is 1: factor, beta_fast, truncate, ...
  std::map<std::string, double> parameters;
  std::map<std::string, std::vector<double>> lists;  // the same for lists: long_factor, ...
  // Pairs for each position axis (the sum is rotary_dim/2); empty: every axis has all frequencies.
  std::vector<int64_t> mrope_section;
  MropeOrder mrope_order = MropeOrder::contiguous;
  // Channels for each position axis (the sum is rotary_dim), which has frequencies of its own,
  // rope_theta^(-2i / axis_dims[a]), axis 0 first: FLUX {16, 56, 56}. Empty: see mrope_section.
  std::vector<int64_t> axis_dims;
  bool reversed = false;  // turns by minus the angle: nanochat
  RotaryLayout layout;
  // Where the rotated pairs are written, when not where they were read (DeepSeek-V3 reads them
  // interleaved and writes them half-split).
  std::optional<RotaryLayout> output_layout;

  bool operator==(const RopeConfig&) const = default;
};

// Attention with linear biases: no rotation, slope_h * (k - q) is added to the score of the query
// at position q and the key at position k.
//   slope_h = 2^(-max_bias h / H), h = 1 .. H, for H a power of two
// Source: Press et al., "Train Short, Test Long", ICLR 2022.
struct AlibiConfig {
  int64_t heads = 0;       // H: of the whole model, whatever part of it is here
  double max_bias = 8;     // MPT: alibi_bias_max
  int64_t first_head = 0;  // of this shard of the heads (tensor parallel)
  int64_t head_count = 0;  // of this shard; 0: all from first_head on
  AlibiForm form = AlibiForm::relative;
  DType dtype = DType::f32;   // bf16: slope, distance and their product are rounded to it (Falcon)
  bool before_scale = false;  // (q.k + bias) / sqrt(d) in the place of q.k / sqrt(d) + bias: Falcon

  bool operator==(const AlibiConfig&) const = default;
};

// x + PE(position + offset): the encoding of "Attention Is All You Need" (Vaswani et al., 2017).
struct SinusoidalConfig {
  int64_t d_model = 512;
  SinusoidalLayout layout = SinusoidalLayout::interleaved;
  double base = 10000;
  int64_t offset = 0;             // added to each position (fairseq: padding_idx + 1)
  int64_t padding_position = -1;  // a position whose row is zero (after the offset); -1: none

  bool operator==(const SinusoidalConfig&) const = default;
};

// Throws invalid_argument listing the four names for any other text.
SinusoidalLayout sinusoidal_layout_from_name(std::string_view text);

// No positions at all: the layer sees its tokens as a bag.
struct NoEncoding {
  bool operator==(const NoEncoding&) const = default;
};

// How one layer of a model knows positions.
using PositionEncoding = std::variant<NoEncoding, RopeConfig, AlibiConfig, SinusoidalConfig>;

// "none", "rope", "alibi" or "sinusoidal".
std::string_view name(const PositionEncoding& encoding);

}  // namespace ropewalk
