// Attention. UNSTABLE: may change in any version, and is left out of the committed dump of the ABI.
// Include ropewalk.h.
#ifndef ROPEWALK_CAPI_ATTENTION_H_
#define ROPEWALK_CAPI_ATTENTION_H_

#include "ropewalk/capi/rotate.h"
#include "ropewalk/capi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a query sees and what is added to its score. Queries are the last Sq of Sk tokens. What a
// layer of a model says of these stands in ropewalk_model_json.
typedef struct ropewalk_attention_options {
  size_t struct_size;
  int32_t layout;  // a ropewalk_layout of q, k, v and out; must be given
  int32_t threads;
  int32_t causal;      // 1: no key after the query's own token is seen
  int32_t alibi_form;  // a ropewalk_alibi_form: key_position counts the keys seen before it
  // Keys to either side of a query's token that it sees; -1: all.
  int64_t window_left, window_right;
  int64_t chunk;                    // > 0: only keys of the query's own chunk of so many tokens
  double scale;                     // of q.k; 0: head_dim^-0.5
  double softcap;                   // > 0: a scaled score s becomes softcap tanh(s / softcap)
  const ropewalk_tensor* key_mask;  // [B, Sk] of integers: 0 hides a key; NULL: all are there
  const ropewalk_tensor* sinks;  // [heads] f32: a score more for each head, of no key; NULL: none
  const ropewalk_tensor* alibi_slopes;  // [heads] f32, of ropewalk_alibi_slopes; NULL: none
  double alibi_scale;                   // of their products: softmax_scale where before_scale is 1
  int32_t alibi_bf16;                   // as bf16 of ropewalk_alibi_options
} ropewalk_attention_options;
#define ROPEWALK_ATTENTION_OPTIONS \
  { sizeof(ropewalk_attention_options), 0, 0, 0, 0, -1, -1, 0, 0.0, 0.0, NULL, NULL, NULL, 1.0, 0 }

// out = softmax(softcap(q k^T scale) + bias) v over the keys that a query sees. q [B, Sq, H, D], k
// [B, Sk, Hkv, D], v [B, Sk, Hkv, Dv] of f32, bf16 or f16, out [B, Sq, H, Dv] f32; H a multiple of
// Hkv. A query that sees no key gives zeros. Worked number: one head, one channel, scale 1, q 1, k
// 0 and ln 3, v 0 and 4: 3.
ROPEWALK_CHECKED ropewalk_status ropewalk_attend(const ropewalk_tensor* q, const ropewalk_tensor* k,
                                                 const ropewalk_tensor* v,
                                                 const ropewalk_tensor* out,
                                                 const ropewalk_attention_options* options);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ROPEWALK_CAPI_ATTENTION_H_
