#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// Heads of the shard: head_count, or all from first_head on. Throws as alibi_slopes.
int64_t alibi_heads(const AlibiConfig& config);

// The slope of each head of the shard, [alibi_heads], any number of heads H in the model:
//   n = the largest power of two <= H; heads 1..n: 2^(-max_bias h / n);
//   the rest: 2^(-max_bias (2j - 1) / (2n)), j = 1 .. H - n
// rounded to the config's dtype.
// Worked number: H = 8 gives 0.5, 0.25, ..., 0.00390625. For 12: those eight, then 0.70710678,
// 0.35355339, ... Throws invalid_argument unless 1 <= heads <= 2^20, the shard lies among them, and
// max_bias is positive and finite; unsupported for a dtype other than f32 and bf16.
// Source: get_slopes of the authors' code (fairseq_alibi); Baichuan-13B _get_interleave.
std::vector<float> alibi_slopes(const AlibiConfig& config);

// The same as a score that is already scaled sees them: times softmax_scale where the bias is added
// before the scaling. Worked number: Falcon-RW-1B (head_dim 64) has an eighth of its slopes.
std::vector<float> alibi_score_slopes(const AlibiConfig& config, double softmax_scale);

// bias[h, i, j] for query i and key j, float32, [alibi_heads, queries, keys], from the positions of
// both: of padded, packed or sharded sequences too.
//   relative: slope_h (k_j - q_i);  key_position: slope_h k_j;  symmetric: -slope_h |k_j - q_i|
// times softmax_scale where the bias is added before the scaling.
// Each product is float32; in bf16 the slope, the distance and the product are bf16. Throws as
// alibi_slopes.
// Source: build_alibi_tensor of modeling_bloom.py and modeling_falcon.py, build_mpt_alibi_tensor of
// modeling_mpt.py in transformers.
Tensor alibi_bias(const AlibiConfig& config, std::span<const int64_t> query_positions,
                  std::span<const int64_t> key_positions, double softmax_scale = 1);

}  // namespace ropewalk
