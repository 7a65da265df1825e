#pragma once

#include <cstdint>

#include "ropewalk/base/dtype.h"

namespace ropewalk {

// Streaming softmax of one key head and the query heads that share it: the queries of a block meet
// the keys a block at a time, and neither scores nor weights outlive the meeting. Plain data in, no
// throw, no allocation; every sum is float32.
//   with m the largest score so far, l the sum of e^(s - m), o the sum of e^(s - m) v:
//   a block of keys with largest score m' turns them into
//   m" = max(m, m'), l" = l e^(m - m") + sum e^(s - m"), o" = o e^(m - m") + sum e^(s - m") v
// Source: Milakov and Gimelshein 2018 (arXiv:1805.02867), Dao 2023 (arXiv:2307.08691).

inline constexpr int64_t kAttentionKeys = 128;  // the most keys of a block
inline constexpr int64_t kDecodeHeads = 32;     // the most blocks that meet keys together,
inline constexpr int64_t kDecodeRows = 8;       // the most rows of each,
inline constexpr int64_t kDecodePairs = 32;     // and of what their channels are whole multiples
                                                // where bf16 is multiplied as such

// Rows of channels, strides in bytes: row n of head h starts at data + number(n) row_stride + h
// head_stride.
struct AttentionRows {
  const char* data = nullptr;
  DType dtype = DType::f32;
  int64_t row_stride = 0, head_stride = 0, channel_stride = 4, channels = 0;
  const int64_t* index = nullptr;  // null: number(n) = n

  int64_t number(int64_t n) const { return index == nullptr ? n : index[n]; }
};

// What the slope of a bias is multiplied by, for the query of token q and the nth key, of token k.
enum class BiasOf {
  distance,  // k - q
  rank,      // n
  nearness,  // -|k - q|
};

// What is added to a score: its number at data + head, query and key strides (bytes) times where it
// belongs; a key is counted by its number.
struct AttentionMask {
  const char* data = nullptr;  // null: none
  DType dtype = DType::f32;    // boolean, u8: 0 hides the key; f32, bf16, f16: added to the score
  int64_t head_stride = 0, query_stride = 0, key_stride = 0;
};

// s = softcap((q.k) scale) + bias, for the heads of one group.
struct AttentionScoring {
  float scale = 1;                // not 0
  float softcap = 0;              // 0: none
  const float* slopes = nullptr;  // [group]; null: none
  BiasOf bias_of = BiasOf::distance;
  bool bias_in_bf16 = false;  // slope, its factor and their product rounded to bf16
  float bias_scale = 1;       // of that product
  // [group, 2 reach + 1]: number reach + d is added to the score of a key at distance d in tokens;
  // further ones as at reach. Null: none.
  const float* distance_bias = nullptr;
  int64_t bias_reach = 0;
  AttentionMask mask = {};
  const float* sinks = nullptr;  // [group]: a score more for each head, of no key. Null: none

  bool plain() const {
    return scale > 0 && softcap == 0 && slopes == nullptr && distance_bias == nullptr &&
           mask.data == nullptr;
  }
};

// A block of queries of the heads of one group, and what is known of it so far. Row t group + g is
// head g of query t.
struct AttentionBlock {
  const AttentionScoring* scoring = nullptr;
  int64_t queries = 0, group = 1, head_dim = 0, value_dim = 0;
  // [queries]: query t sees the keys begin[t] .. end[t] - 1, in the order of the rows of k.
  const int64_t* begin = nullptr;
  const int64_t* end = nullptr;
  // [queries]: numbers of the queries' tokens on the scale of key_tokens, and in the mask. Less
  // than 2^30 apart from any key's.
  const int64_t* tokens = nullptr;
  const int64_t* mask_rows = nullptr;
  bool bf16_products =
      false;  // q, k and v are bf16 and multiplied as such: attention_bf16_products
  // Memory of attention_memory() numbers, at a multiple of 64 bytes.
  float* memory = nullptr;

  int64_t rows() const { return queries * group; }
};

// The keys first .. first + count - 1 of those that may be seen, packed for queries to meet them.
struct AttentionKeys {
  AttentionRows k, v;  // row 0 is that of key `first`; head 0 the one that the group reads
  // [heads, count], float32: what the numbers of k and v are multiplied by where they are i8.
  const float* k_scales = nullptr;
  const float* v_scales = nullptr;
  int64_t first = 0, count = 0;
  // Which keys of the sequence these are, and where they stand on the scale of the queries' tokens.
  // Null: first, first + 1, ...; the number.
  const int64_t* numbers = nullptr;  // [count]
  const int64_t* tokens = nullptr;   // by number
  // Memory of attention_key_memory() numbers, at a multiple of 64 bytes, and what attention_pack
  // found: whether all values are finite.
  float* memory = nullptr;
  bool finite = true;

  int64_t number(int64_t j) const { return numbers == nullptr ? first + j : numbers[j]; }
  int64_t token(int64_t j) const { return tokens == nullptr ? number(j) : tokens[number(j)]; }
};

// Whether this machine multiplies pairs of bf16 (AVX512-BF16) and no cap forbids it: products
// exact, sums float32 with denormals taken for zero; weights rounded to bf16.
bool attention_bf16_products();

// How many floats a block needs, and a block of keys that it meets.
int64_t attention_memory(const AttentionBlock& block);
int64_t attention_key_memory(const AttentionBlock& block);

// Takes the queries; no key has been met.
void attention_start(const AttentionBlock& block, const AttentionRows& q);

// Packs keys for all blocks of this head_dim, value_dim and bf16_products.
void attention_pack(const AttentionBlock& block, AttentionKeys& keys);

// The queries meet packed keys. Values of keys that a query does not see do not reach it, whatever
// they are. Blocks of keys are to come in order, each but the last of kAttentionKeys from a
// multiple of it, for the bits of a query not to depend on other queries.
void attention_meet(const AttentionBlock& block, const AttentionKeys& keys);

// The same for blocks of one query each of the heads 0 .. count - 1 of the keys, of one size and at
// most kDecodeHeads of them, of kDecodeRows rows, which see all of these keys, any number of them,
// without a mask; in bf16_products where head_dim and value_dim are multiples of kDecodePairs. The
// keys are read where they lie, not packed, in the order of memory where
// the heads of a key lie side by side; channels must. k and v may be i8 here, both, with scales.
void attention_meet_one(const AttentionBlock* blocks, int64_t count, const AttentionKeys& keys);

// What `from` knows of other keys joins `into`, whose queries are the same.
void attention_merge(const AttentionBlock& into, const AttentionBlock& from);

// out [queries, group, value_dim] float32 at any address, strides in bytes; zeros for a query that
// has seen no key. lse, where it is not null: log of the sum of e^score over the keys seen, and the
// sink; -infinity where there is no key.
struct AttentionOutput {
  char* data = nullptr;
  int64_t query_stride = 0, head_stride = 0, channel_stride = 0;
  char* lse = nullptr;
  int64_t lse_query_stride = 0, lse_head_stride = 0;
};
void attention_finish(const AttentionBlock& block, const AttentionOutput& out);

// The scores of packed keys that are seen, the others are not written: [queries, group, keys] at
// out.data, a key at its number. After attention_start.
void attention_write_scores(const AttentionBlock& block, const AttentionKeys& keys,
                            const AttentionOutput& out);

// What the backward pass of a block reads and adds to, rows side by side: k, v, dk and dv by a
// key's number; the others [queries, group]. delta: d_out . out.
struct AttentionGradients {
  const float* k = nullptr;
  const float* v = nullptr;
  const float* d_out = nullptr;
  const float* lse = nullptr;
  const float* delta = nullptr;
  float* dq = nullptr;
  float* dk = nullptr;
  float* dv = nullptr;
};

// Adds what the queries and these packed keys give one another, by the formulas of
// attention/attention_backward.h. After attention_start, without bf16_products.
void attention_backward(const AttentionBlock& block, const AttentionKeys& keys,
                        const AttentionGradients& gradients);

// 2^x for x <= 0 within 2 ULP, 0 below -126, NaN for NaN; tanh(x) within 4 ULP. As the kernel
// computes them, for its tests.
void attention_exp2(const float* x, int64_t count, float* to);
void attention_tanh(const float* x, int64_t count, float* to);

}  // namespace ropewalk
