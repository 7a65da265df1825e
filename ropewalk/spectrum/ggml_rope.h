#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// What llama.cpp hands to ggml's rope for a config: ggml has no list of frequencies.
struct GgmlRope {
  float theta_scale = 1;  // freq_base^(-2/d)
  float freq_scale = 1;   // 1 / factor
  float ext_factor = 0;   // 1 for YaRN
  float corr_low = 0, corr_high = 0;
  std::vector<float> freq_factors;  // [d/2] divisors of the angles; empty: none
};

// default, linear, YaRN, LongRoPE (its lists are the divisors), llama3 and proportional (divisors,
// as the converter writes them) and the fixed bases (freq_base). YaRN's corrections are rounded to
// whole pairs always, whatever `truncate` says, and take the betas of the config, where llama.cpp
// has 32 and 1 for most architectures. Throws unsupported for a scaling that llama.cpp has not.
// Source: convert_hf_to_gguf.py and llama-context.cpp of llama.cpp, ggml_rope_yarn_corr_dims of
// ggml.
GgmlRope ggml_rope(const RopeConfig& config, int64_t seq_len = 0);

// The angle of each pair at a position, in ggml's order of float32 operations:
//   theta_0 = p, theta_{i+1} = theta_i theta_scale;  e = theta_i / freq_factors_i
//   angle_i = freq_scale e (1 - m) + e m, m = ext_factor (1 - clamp((i - low) / (high - low), 0,
//   1)); freq_scale e where ext_factor is 0
// Source: ggml_rope_cache_init and rope_yarn of ggml/src/ggml-cpu/ops.cpp.
void ggml_angles(const GgmlRope& rope, float position, std::span<float> angles);

}  // namespace ropewalk
