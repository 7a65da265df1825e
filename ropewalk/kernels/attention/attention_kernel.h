#pragma once

#include <cstdint>

namespace ropewalk {

// The arithmetic of attention on one head, float32. Every sum has one fixed order, so the bits of a
// query's result depend on its own row and on the keys that it sees, in their order, and on nothing
// else: not on strides, on the other queries of the block, or on keys that it does not see.

inline constexpr int64_t kAttentionQueries = 32;  // the most query rows of one block
inline constexpr int64_t kAttentionKeys = 64;     // keys that are summed before the sum is added

// Rows of channels, strides in elements: row n starts at data + index[n] * row_stride, or at
// data + n * row_stride where there is no index.
struct AttentionRows {
  const float* data = nullptr;
  int64_t row_stride = 0, channel_stride = 1, channels = 0;
  const int64_t* index = nullptr;

  int64_t number(int64_t n) const { return index == nullptr ? n : index[n]; }
};

// What the slope of a bias is multiplied by, for query number q and the nth key, of number k.
enum class BiasOf {
  distance,  // k - q
  rank,      // n
  nearness,  // -|k - q|
};

// A block of queries of one head and its scores. Query r sees rows first[r] .. seen[r] - 1 of the
// keys.
struct AttentionBlock {
  int64_t queries = 0;      // 1 .. kAttentionQueries
  int64_t first_query = 0;  // number of query 0 on the scale of the keys' numbers, for the bias
  const int64_t* first = nullptr;  // null: 0 for all
  const int64_t* seen = nullptr;
  float scale = 1;
  float softcap = 0;  // 0: none
  float slope = 0;    // 0: no bias
  BiasOf bias_of = BiasOf::distance;
  bool bias_in_bf16 = false;  // slope, its factor and their product rounded to bf16
  float bias_scale = 1;       // of that product
  // [2 reach + 1]: number reach + d is added to the score of a key at distance d = number(n) -
  // (first_query + r), further ones as at reach. Null: none.
  const float* distance_bias = nullptr;
  int64_t bias_reach = 0;

  int64_t begin(int64_t r) const { return first == nullptr ? 0 : first[r]; }
  float* scores = nullptr;  // [queries, >= the largest seen[r]]
  int64_t score_stride = 0;
};

// a . b: channel c is added to partial sum c mod 16, and the 16 are added pairwise at the end.
float attention_dot(const float* a, const float* b, int64_t count);

// scores[r, n] = softcap((q_r . k_n) scale) + slope (number(n) - (first_query + r)),
// first[r] <= n < seen[r], with softcap(s) = c tanh(s / c) and the bias in the form that is asked,
// or that of distances.
// The other scores are not written, and keys that no query sees are not read.
void attention_scores_of(const AttentionBlock& block, const AttentionRows& queries,
                         const AttentionRows& keys);

// e^x for x <= 0 within 2 ULP; 0 below -87.3, NaN for NaN. The same bits on every machine, which
// the C library's expf does not promise.
float attention_exp(float x);

// tanh(x) within 3 ULP, the same bits on every machine.
float attention_tanh(float x);

// scores[n] becomes e^(scores[n] - max), begin <= n < end; returns their sum, 0 when there are
// none. `sink`, where there is one, is a score more, of no key.
float attention_softmax(float* scores, int64_t begin, int64_t end, const float* sink = nullptr);

// sums[r, c] = sum over first[r] <= n < seen[r] of scores[r, n] values[n, c]; sums is [queries,
// channels]. In the order of attention_softmax's sum: where every value is 1 the two are the same
// number.
void attention_weighted_sum(const AttentionBlock& block, const AttentionRows& values, float* sums);

}  // namespace ropewalk
