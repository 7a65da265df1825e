#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// The axis of the position ids that turns each pair.
//   no mrope_section: every axis has all rotary_dim/2 frequencies, axis 0 first: ChatGLM-6B
//   contiguous: the first section[0] pairs have axis 0, the next section[1] axis 1, ...
//   interleaved: i % 3 == 1 and i < 3 section[1] axis 1; i % 3 == 2 and i < 3 section[2] axis 2;
//   else 0 height_width_first: i < 2 section[0] even axis 1, odd axis 2; else axis 0
// Worked: section {2, 1, 1} is 0 0 1 2 contiguous, 0 1 2 0 interleaved.
// Source: modeling_qwen2_vl.py, modeling_qwen3_vl.py, modeling_ernie4_5_vl_moe.py of transformers.
std::vector<int32_t> pair_axes(const RopeConfig& config);

// Throws invalid_argument unless mrope_section is empty, or has a number of pairs for each of the
// position axes which make rotary_dim/2 together and, in an order for three axes, fit that order.
void check_mrope_section(const RopeConfig& config);

}  // namespace ropewalk
