#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/rotary_layout.h"
#include "ropewalk/tables/rope_rows.h"

namespace ropewalk {

// q and k as projected, to be rotated on the way in: the bits of apply_rope, then attend. Each key
// is rotated once for a thousand queries and all heads that share it, and no rotated copy is kept.
struct AttentionRotation {
  const RopeRows* q_rows = nullptr;  // of the tokens of q; null: q and k are as they are
  const RopeRows* k_rows = nullptr;  // of the tokens of k
  RotaryLayout layout = {};
};

// What a query may see and what is added to its score. Unless tokens are named, queries are the
// last Sq of Sk tokens: query i is token i + (Sk - Sq), key j token j.
struct AttentionOptions {
  // Of q, k, v and out; thd: all one sequence, or those that sequence_starts cut it into.
  TensorLayout tensor_layout = TensorLayout::bshd;
  // thd, [sequences + 1], both or none: sequence s has the tokens starts[s] .. starts[s + 1] - 1
  // of q and of k and v (cu_seqlens of others). Tokens are then counted from each one's own first.
  std::span<const int64_t> query_starts = {}, key_starts = {};
  // The token that query 0 is; those after it follow. Absent: Sk - Sq.
  std::optional<int64_t> first_query = std::nullopt;
  // [Sq] and [Sk]: tokens one by one, in any order, each between -2^30 and 2^30.
  std::span<const int64_t> query_tokens = {}, key_tokens = {};
  bool causal = false;  // a query sees only keys whose token is not after its own
  // [batch] or [1]: the first so many tokens of a sequence, padding among them counted, are seen by
  // all its queries, causal or not; windows, chunks and masks still hide.
  std::span<const int64_t> prefix = {};
  // Tokens to either side of its own that a query sees; -1: all.
  int64_t window_left = -1, window_right = -1;
  // > 0: only keys of the query's own chunk of so many tokens, counted from token 0, or from the
  // first key that key_mask shows where it is given (Llama 4).
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
  // [batch]: a sequence has so many keys, those after them are padding. Empty: all are there.
  std::span<const int64_t> key_lengths = {};
  // [batch or 1, heads or 1, Sq, Sk]; bool or u8: 0 hides a key from a query; f32, bf16 or f16:
  // added to the score, where -infinity hides. No shape: none.
  ConstTensorView mask{nullptr, DType::boolean, {}, {}};
  AttentionRotation rotation;
  // [batch, heads, Sq] float32 (thd: [heads, Sq]): ln of the sum of e^score over what a query sees,
  // its sink included; -infinity where it sees no key. No shape: not wanted.
  TensorView lse{nullptr, DType::f32, {}, {}};
  Parallel parallel;
  // Told of work done, of work in all, in seen pairs of a query and a key; from one thread at a
  // time. One query a sequence is short work, and not told of.
  std::function<void(double done, double all)> progress = {};
};

// out = softmax(softcap(q k^T scale) + bias) v over the keys that a query sees. q [B, Sq, H, D];
// k [B, Sk, Hkv, D]; v [B, Sk, Hkv, Dv]; out [B, Sq, H, Dv]; H a multiple of Hkv (grouped-query
// heads: query head h reads head h / (H / Hkv)). Worked number: one head of one channel, scale 1,
// q = [1], k = [0, ln 3], v = [0, 4] gives (1*0 + 3*4) / (1 + 3) = 3.
//
// q, k and v are float32, bf16 or f16, each its own; products and sums are float32. Where all three
// are bf16 and the machine has AVX512-BF16, pairs of bf16 are multiplied as they are and the
// weights of the softmax are rounded to bf16, and denormal numbers count as zero
// (docs/decisions/0011-attention.md has the bounds). out is float32. Any strides; out and lse may
// not overlap an input or each other. A hidden key is skipped, not multiplied by 0: a NaN in it
// does not reach the output. A query that sees no key, or only scores of -infinity, gives zeros.
// NaN or +infinity among the scores of keys that are seen gives NaN. A key that is seen with a
// score of -infinity and a value that is NaN or infinite may or may not give NaN. The bits of a row
// depend only on its query, on the keys and values that it sees and on how many keys come before
// them: not on threads, strides, batch or the other queries. So a sequence padded behind, or hidden
// by key_mask in any place, gives the bits of the same sequence without padding (with a bias: if
// the padding is not between its tokens). Instruction sets differ in the last bits. A call with few
// queries (decode) splits the keys among threads and may differ in the last bits from the same rows
// of a longer call, but not from itself. Memory beside the output: some 5 MB a thread, never a row
// of scores; with key_mask or key_tokens a list of the keys. Throws invalid_argument naming the
// tensors and shapes that do not fit, unsupported for other types, resource_limit when memory runs
// out; nothing is written in the first two cases.
void attend(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
            const TensorView& out, const AttentionOptions& options = {});

// scores[b, h, i, j] = softcap(q_i . k_j scale) + bias, float32, [B, H, Sq, Sk] (or [H, Sq, Sk]
// where q has no batch) in every tensor_layout; keys that are hidden get -infinity. The numbers
// that attend takes the softmax of, within a rounding. Rules and errors as for attend; query_starts
// are not allowed.
void attention_scores(const ConstTensorView& q, const ConstTensorView& k, const TensorView& scores,
                      const AttentionOptions& options = {});

}  // namespace ropewalk
