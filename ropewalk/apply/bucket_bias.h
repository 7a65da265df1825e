#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// The bucket of a key that stands `distance` tokens behind its query (key - query). Of N buckets
// (each direction's half where both are seen) the first E = N/2 hold one distance each, the others
// ever more:
//   n = |distance|:  n < E: n;  else min(N - 1, E + floor((N - E) log(n/E) / log(max_distance/E)))
// and keys after the query have the upper half of the buckets, or, where only one direction is
// seen, bucket 0. Worked numbers: 32 buckets of both directions, max_distance 128: -20 is in bucket
// 10, 20 in 26. Throws invalid_argument unless there are at least two buckets for each direction
// and max_distance exceeds E.
// Source: Raffel et al., JMLR 2020; _relative_position_bucket of modeling_t5.py in transformers.
int64_t relative_bucket(const BucketBiasConfig& config, int64_t distance);

// What each head adds to the score of a key by its distance, [heads, 2R + 1] with R = max_distance:
// column R + d is that of distance d, and distances beyond R have that of R.
// `table`: the learned numbers, float32 [buckets, heads]. Throws as relative_bucket, and for a
// table of another shape or type.
std::vector<float> bias_by_distance(const BucketBiasConfig& config, const ConstTensorView& table);

// bias[h, i, j] = table[bucket(k_j - q_i), h], float32 [heads, queries, keys].
Tensor bucket_bias(const BucketBiasConfig& config, const ConstTensorView& table,
                   std::span<const int64_t> query_positions,
                   std::span<const int64_t> key_positions);

}  // namespace ropewalk
