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

// x + table[position + offset]: a learned table, weights of the checkpoint.
struct LearnedConfig {
  int64_t rows = 0;    // of the table; positions 0 .. rows - offset - 1
  int64_t tables = 1;  // one for each axis of a place, whose rows are added: Gemma 4's pictures
  int64_t d_model = 0;
  int64_t offset = 0;             // added to each position (OPT, BART 2; RoBERTa pad_token_id + 1)
  int64_t padding_position = -1;  // the row of padding tokens (after the offset); -1: none
  Resampling resampling = Resampling::none;
  std::string tensor;  // how its name ends in the checkpoint; "": not known

  bool operator==(const LearnedConfig&) const = default;
};

// T5: a learned number for each bucket of distances and each head is added to the score,
//   table[bucket(k - q), h]
// as apply/bucket_bias.h says. Source: Raffel et al., JMLR 2020.
struct BucketBiasConfig {
  int64_t heads = 0;
  int64_t buckets = 32;        // of both directions together, where both are seen
  int64_t max_distance = 128;  // keys further away share the last bucket of their direction
  bool bidirectional = true;

  bool operator==(const BucketBiasConfig&) const = default;
};

// Learned terms of the distance between query and key, computed with the heads themselves.
struct RelativeConfig {
  RelativeForm form = RelativeForm::shaw;
  int64_t max_distance = 0;  // further keys count as this far; 0: no bound
  int64_t buckets = 0;       // of distances, for each direction; 0: one for each distance

  bool operator==(const RelativeConfig&) const = default;
};

// x + conv(x): a convolution along the sequence tells neighbours apart (wav2vec 2.0).
struct ConvolutionConfig {
  int64_t kernel = 0, groups = 1;

  bool operator==(const ConvolutionConfig&) const = default;
};

// Features of places, that ropewalk names and does not compute.
struct FeatureConfig {
  FeatureForm form = FeatureForm::fourier;

  bool operator==(const FeatureConfig&) const = default;
};

// Throws invalid_argument listing the four names for any other text.
SinusoidalLayout sinusoidal_layout_from_name(std::string_view text);

// No positions at all: the layer sees its tokens as a bag.
struct NoEncoding {
  bool operator==(const NoEncoding&) const = default;
};

// How one layer of a model knows positions.
using PositionEncoding =
    std::variant<NoEncoding, RopeConfig, AlibiConfig, SinusoidalConfig, LearnedConfig,
                 BucketBiasConfig, RelativeConfig, ConvolutionConfig, FeatureConfig>;

// "none", "rope", "alibi", "sinusoidal", "learned", "bucket_bias", "relative",
// "convolution" or "features".
std::string_view name(const PositionEncoding& encoding);

}  // namespace ropewalk
