#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// What turns one pair of a head: a row of the position ids, and one of the config's frequencies.
struct PairSource {
  int32_t axis = 0;
  int64_t frequency = 0;

  bool operator==(const PairSource&) const = default;
};

// The pairs in the order of the layout's windows.
//   axis_dims: the axes' own frequencies, axis 0 first: FLUX
//   neither axis_dims nor mrope_section: every axis has all rotary_dim/2 frequencies; axis 0 first,
//   ChatGLM-6B, or alternating, pair i has axis i % axes and frequency i / axes, Kimi-K2.5
// and with a mrope_section, where pair i has frequency i but for the last:
//   contiguous: the first section[0] pairs have axis 0, the next section[1] axis 1, ...
//   interleaved: i % 3 == 1 and i < 3 section[1] axis 1; i % 3 == 2 and i < 3 section[2] axis 2;
//   else 0
//   height_width_first: i < 2 section[0] even axis 1, odd axis 2; else axis 0
//   strided: the j-th pair of axis a has frequency a + axes j, the pairs of axis 0 first
// Worked: the axes of section {2, 1, 1} are 0 0 1 2 contiguous, 0 1 2 0 interleaved; the
// frequencies of section {2, 2} strided are 0 2 1 3.
// Source: modeling_qwen2_vl.py, modeling_qwen3_vl.py, modeling_ernie4_5_vl_moe.py,
// modeling_pixtral.py, modeling_kimi_k25.py of transformers; transformer_flux.py of diffusers.
std::vector<PairSource> pair_sources(const RopeConfig& config);

// Throws invalid_argument unless axis_dims and mrope_section are empty, or one of them has a number
// for each of the position axes which together make rotary_dim or rotary_dim/2 and fit the order.
void check_axes(const RopeConfig& config);

}  // namespace ropewalk
