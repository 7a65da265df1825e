#pragma once

#include <cstdint>
#include <span>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// What a query may see and what is added to its score. Queries are the last Sq of Sk tokens: query
// i is token i + (Sk - Sq).
struct AttentionOptions {
  TensorLayout tensor_layout = TensorLayout::bshd;  // of q, k, v and out; thd: all one sequence
  bool causal = false;  // key j is seen by query i only if j <= i + (Sk - Sq)
  // [batch] or [1]: the first so many keys of a sequence are seen by all its queries, causal or
  // not.
  std::span<const int64_t> prefix = {};
  // Keys to either side of token i + (Sk - Sq) that a query sees; -1: all.
  int64_t window_left = -1, window_right = -1;
  // > 0: only keys of the query's own chunk of so many tokens, counted from the first key that
  // key_mask shows (Llama 4).
  int64_t chunk = 0;
  double scale = 0;    // of q.k; 0: head_dim^-0.5
  double softcap = 0;  // > 0: a scaled score s becomes softcap tanh(s / softcap)
  // [heads]: a score more for each head, of no key and no value. Empty: none.
  std::span<const float> sinks = {};
  // [heads]; adds slope_h times what alibi_form says of query and key. Empty: nothing is added.
  std::span<const float> alibi_slopes = {};
  AlibiForm alibi_form = AlibiForm::relative;  // key_position: the number of keys seen before it
  bool alibi_bf16 = false;  // slope, its factor and their product are rounded to bf16
  double alibi_scale = 1;   // of the product, as where a bias is added before the scaling
  // [heads, 2 bias_reach + 1]: number bias_reach + d of a head is added to the score of a key at
  // distance d, in tokens, from its query; further keys have that of bias_reach. Empty: nothing.
  std::span<const float> distance_bias = {};
  int64_t bias_reach = 0;
  // [batch, Sk] bool, u8, i32 or i64: 1 is a key, 0 hides it (padding). No shape: every key is
  // there.
  ConstTensorView key_mask{nullptr, DType::boolean, {}, {}};
  Parallel parallel;
};

// out = softmax(softcap(q k^T scale) + bias) v over the keys that a query sees. q [B, Sq, H, D];
// k [B, Sk, Hkv, D]; v [B, Sk, Hkv, Dv]; out [B, Sq, H, Dv]; H a multiple of Hkv (grouped-query
// heads: query head h reads head h / (H / Hkv)). Worked number: one head of one channel, scale 1,
// q = [1], k = [0, ln 3], v = [0, 4] gives (1*0 + 3*4) / (1 + 3) = 3.
//
// q, k and v are float32, bf16 or f16, each its own; 16-bit tensors are converted to float32 on
// every call, whole. out is float32. Any strides; out may not overlap an input or itself.
// A hidden key (by causal or key_mask) is skipped, not multiplied by 0: a NaN in it does not reach
// the output. A query that sees no key gives zeros. The softmax subtracts the row's maximum; NaN,
// +infinity, or nothing but -infinity among the scores of keys that are seen gives NaN.
// The bits of a row depend only on its query and on the keys and values that it sees: not on
// threads, strides, batch or the other queries. So a padded sequence gives the bits of the same
// sequence without padding (with alibi_slopes: if the padding is not between its tokens).
// Memory: 32 query rows by all keys for each thread, never S x S for all heads.
// Throws invalid_argument naming the tensors and shapes that do not fit, unsupported for other
// types, resource_limit when memory runs out; nothing is written in the first two cases.
void attend(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
            const TensorView& out, const AttentionOptions& options = {});

// scores[b, h, i, j] = softcap(q_i . k_j scale) + bias, float32, [B, H, Sq, Sk] (or [H, Sq, Sk]
// where q has no batch) in every tensor_layout; keys that are hidden get -infinity. The numbers
// that attend takes the softmax of, bit for bit. Rules and errors as for attend.
void attention_scores(const ConstTensorView& q, const ConstTensorView& k, const TensorView& scores,
                      const AttentionOptions& options = {});

}  // namespace ropewalk
