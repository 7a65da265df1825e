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

namespace ropewalk {

// Which axis of the position ids drives pair i, for a head whose pairs are shared between several.
enum class MropeOrder {
  contiguous,   // the first section[0] pairs take axis 0, the next section[1] axis 1, ...: Qwen2-VL
  interleaved,  // i % 3 == 1 and i < 3 section[1]: axis 1; i % 3 == 2 and i < 3 section[2]: axis 2;
                // else axis 0: Qwen3-VL
  height_width_first,  // i < 2 section[0]: even i axis 1, odd i axis 2; else axis 0: ERNIE-4.5-VL
  strided,      // axis a has the frequencies a, a + axes, a + 2 axes, ..., axis 0 first: Pixtral
  alternating,  // no section, every axis has all frequencies: pair i has axis i % axes and
                // frequency i / axes: Kimi-K2.5's vision tower
};

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

std::string_view name(MropeOrder order);

// What the slope of ALiBi multiplies, for a query at position q and a key at position k. The first
// two differ by one number for each query, which the softmax does not see, and in their rounding.
enum class AlibiForm {
  relative,      // k - q: the paper, MPT (q: the last position), Baichuan2-13B
  key_position,  // k: BLOOM, Falcon-RW, Baichuan-13B
  symmetric,     // -|k - q|, for attention in both directions: jina-bert-v2
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

std::string_view name(AlibiForm form);

// Order of the channels of a sinusoidal encoding, and the spacing of its frequencies.
enum class SinusoidalLayout {
  interleaved,  // pe[2i] = sin(p f_i), pe[2i+1] = cos(p f_i); f_i = base^(-2i/d): the paper, the
                // article
  sin_cos,      // [sin | cos], same f_i: Marian, Pegasus
  fairseq,  // [sin | cos], f_i = base^(-i/(d/2 - 1)), the row of the padding token zero: M2M100,
            // NLLB
  cos_sin,  // [cos | sin], f_i as fairseq: MusicGen
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

std::string_view name(SinusoidalLayout layout);

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
