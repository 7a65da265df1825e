// Attention, its scores and its gradients. Include ropewalk.h.
#ifndef ROPEWALK_CAPI_ATTENTION_H_
#define ROPEWALK_CAPI_ATTENTION_H_

#include "ropewalk/capi/rotate.h"
#include "ropewalk/capi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a query sees and what is added to its score. What a layer of a model says of these stands in
// ropewalk_model_json. B: batch, Sq and Sk: tokens of q and of k. Every pointer may be NULL: none.
typedef struct ropewalk_attention_options {
  size_t struct_size;
  int32_t layout;  // a ropewalk_layout of q, k, v and out; must be given
  int32_t threads;
  int32_t causal;      // 1: no key after the query's own token is seen
  int32_t alibi_form;  // a ropewalk_alibi_form: key_position counts the keys seen before it
  // Tokens to either side of a query's own that it sees; -1: all.
  int64_t window_left, window_right;
  int64_t chunk;                        // > 0: only keys of the query's own chunk of so many tokens
  double scale;                         // of q.k; 0: head_dim^-0.5
  double softcap;                       // > 0: a scaled score s becomes softcap tanh(s / softcap)
  const ropewalk_tensor* key_mask;      // [B, Sk] of integers: 1 is a key, 0 hides it
  const ropewalk_tensor* sinks;         // [heads] f32: a score more for each head, of no key
  const ropewalk_tensor* alibi_slopes;  // [heads] f32, of ropewalk_alibi_slopes
  double alibi_scale;                   // of their products: softmax_scale where before_scale is 1
  int32_t alibi_bf16;                   // as bf16 of ropewalk_alibi_options
  // [B or 1, heads or 1, Sq, Sk]; bool or u8: 0 hides; f32, bf16 or f16: added, -infinity hides.
  const ropewalk_tensor* mask;
  const ropewalk_tensor* key_lengths;  // [B] of integers: keys after them are padding
  const ropewalk_tensor* prefix;       // [B] or [1]: the first so many tokens are seen by all
  // [heads, 2 r + 1] f32: number r + d of a head is added at distance d, farther keys have that of
  // r.
  const ropewalk_tensor* distance_bias;
  // ROPEWALK_THD, both or none, [sequences + 1] of integers: sequence s has the tokens starts[s] ..
  // starts[s + 1] - 1 (cu_seqlens of others).
  const ropewalk_tensor* query_starts;
  const ropewalk_tensor* key_starts;
  // Which token each is, a run or ids [S], within 2^30 of 0. NULL: queries are the last Sq of Sk.
  const ropewalk_positions* query_tokens;
  const ropewalk_positions* key_tokens;
  // Of ropewalk_make_rows, both or none: q and k are rotated on the way in, with the bits of
  // ropewalk_rotate_rows first; k once for all the heads and queries that meet it.
  const ropewalk_rows* q_rows;
  const ropewalk_rows* k_rows;
  // Written: [B, heads, Sq] f32 (of three dimensions of q: [heads, Sq]), ln of the sum of e^score
  // over what a query sees, its sink included; -infinity where it sees no key.
  const ropewalk_tensor* lse;
} ropewalk_attention_options;
#define ROPEWALK_ATTENTION_OPTIONS                                                                 \
  {                                                                                                \
    sizeof(ropewalk_attention_options), 0, 0, 0, 0, -1, -1, 0, 0.0, 0.0, NULL, NULL, NULL, 1.0, 0, \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL                           \
  }

// out = softmax(softcap(q k^T scale) + bias) v over the keys that a query sees. q [B, Sq, H, D], k
// [B, Sk, Hkv, D], v [B, Sk, Hkv, Dv] of f32, bf16 or f16, out [B, Sq, H, Dv] f32; H a multiple of
// Hkv. No row of scores is written. A query that sees no key gives zeros. Worked number: one head,
// one channel, scale 1, q 1, k 0 and ln 3, v 0 and 4: 3. Errors: invalid_argument, unsupported;
// nothing is written then.
ROPEWALK_CHECKED ropewalk_status ropewalk_attend(const ropewalk_tensor* q, const ropewalk_tensor* k,
                                                 const ropewalk_tensor* v,
                                                 const ropewalk_tensor* out,
                                                 const ropewalk_attention_options* options);

// The scores that ropewalk_attend takes the softmax of, f32 [B, H, Sq, Sk] (of three dimensions of
// q: [H, Sq, Sk]) in every layout; -infinity where a key is hidden. Sinks and lse are not read, and
// starts are refused. Errors: as ropewalk_attend.
ROPEWALK_CHECKED ropewalk_status
ropewalk_attention_scores(const ropewalk_tensor* q, const ropewalk_tensor* k,
                          const ropewalk_tensor* scores, const ropewalk_attention_options* options);

// What the backward pass reads beside q, k and v, and where it writes; all must be given.
typedef struct ropewalk_attention_backward {
  size_t struct_size;
  const ropewalk_tensor* out;    // what ropewalk_attend wrote, f32
  const ropewalk_tensor* lse;    // the same
  const ropewalk_tensor* d_out;  // the gradient of out, f32
  const ropewalk_tensor* dq;     // written: f32, in the shapes of q, k and v
  const ropewalk_tensor* dk;
  const ropewalk_tensor* dv;
} ropewalk_attention_backward;
#define ROPEWALK_ATTENTION_BACKWARD \
  { sizeof(ropewalk_attention_backward), NULL, NULL, NULL, NULL, NULL, NULL }

// The gradients of ropewalk_attend with the same options, whose lse is not read here. Scores are
// made again and never kept; masks, biases and sinks get none. q_rows and k_rows are refused:
// rotate first, then turn dq and dk back with ROPEWALK_TRANSPOSE. Worked number: that of
// ropewalk_attend, d_out 1: dv 1/4 and 3/4, dq 3/4 ln 3, dk -3/4 and 3/4. Errors: as
// ropewalk_attend. Source: Dao 2023 (arXiv:2307.08691).
ROPEWALK_CHECKED ropewalk_status ropewalk_attend_backward(
    const ropewalk_tensor* q, const ropewalk_tensor* k, const ropewalk_tensor* v,
    const ropewalk_attention_backward* pass, const ropewalk_attention_options* options);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ROPEWALK_CAPI_ATTENTION_H_
