// Keys and values that are kept: a cache of one layer. Include ropewalk.h.
#ifndef ROPEWALK_CAPI_KV_CACHE_H_
#define ROPEWALK_CAPI_KV_CACHE_H_

#include "ropewalk/capi/attention.h"
#include "ropewalk/capi/rotate.h"
#include "ropewalk/capi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Keys and values of any number of sequences of one layer, in pages; a sequence has a number of the
// caller's. A key is rotated when it is stored. The one handle that changes: calls that take it as
// const may run at once, others alone. What fails leaves it as it was.
//
// Each cell keeps its key as it was first stored, with that position. A move turns it from there by
// one exact difference of angles: a thousand shifts have the bits of one. Worked number: head_dim
// 2, inv_freq 1: k = [1, 0] at position 3, shifted by -1, reads [cos 2, sin 2].
typedef struct ropewalk_kv_cache ropewalk_kv_cache;

typedef struct ropewalk_kv_cache_options {
  size_t struct_size;
  int64_t kv_heads;   // of k and v; must be given
  int64_t head_dim;   // of k; 0: that of the rope
  int64_t v_dim;      // channels of a value; 0: none are kept (latent attention)
  int64_t page_size;  // tokens; no result depends on it
  // A ropewalk_dtype: F32, BF16, F16 or I8, of which each row of a token and head has a scale of
  // its own, max |x| / 127.
  int32_t k_dtype, v_dtype;
  // F32, BF16 or F16: k is kept as it came, too, and a key that was moved has the bits of one that
  // was rotated there. 0: it is rounded twice, at half the memory.
  int32_t raw_k_dtype;
} ropewalk_kv_cache_options;
#define ROPEWALK_KV_CACHE_OPTIONS \
  { sizeof(ropewalk_kv_cache_options), 0, 0, 0, 64, ROPEWALK_BF16, ROPEWALK_BF16, 0 }

// An empty cache. rope: what k is rotated by, NULL: not at all; one that depends on the length must
// have a seq_len. Errors: invalid_argument, unsupported, resource_limit.
ROPEWALK_CHECKED ropewalk_status ropewalk_make_kv_cache(const ropewalk_rope* rope,
                                                        const ropewalk_kv_cache_options* options,
                                                        ropewalk_kv_cache** cache);

// A second cache with the same contents, which shares nothing.
ROPEWALK_CHECKED ropewalk_status ropewalk_copy_kv_cache(const ropewalk_kv_cache* cache,
                                                        ropewalk_kv_cache** copy);

ROPEWALK_API void ropewalk_free_kv_cache(ropewalk_kv_cache* cache);

// What an append adds.
typedef struct ropewalk_kv_tokens {
  size_t struct_size;
  const ropewalk_tensor* k;  // [tokens, kv_heads, head_dim] f32, bf16 or f16, not rotated
  const ropewalk_tensor* v;  // [tokens, kv_heads, v_dim]; NULL where v_dim is 0
  // A run or ids [tokens] or [axes, 1, tokens], 0..2^63-2. NULL: from the length of the sequence.
  const ropewalk_positions* positions;
  const ropewalk_rows* rows;  // of the sequence's rope there, made once for all layers; or NULL
} ropewalk_kv_tokens;
#define ROPEWALK_KV_TOKENS \
  { sizeof(ropewalk_kv_tokens), NULL, NULL, NULL, NULL }

// Adds tokens at the end of a sequence, which may be new. Errors: invalid_argument, unsupported,
// resource_limit.
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_append(ropewalk_kv_cache* cache, int64_t sequence,
                                                    const ropewalk_kv_tokens* tokens);

// Queries on a sequence.
typedef struct ropewalk_kv_queries {
  size_t struct_size;
  const ropewalk_tensor* q;             // [tokens, heads, head_dim], not rotated
  const ropewalk_positions* positions;  // NULL: those of the last tokens of the sequence
  const ropewalk_rows* rows;            // as in ropewalk_kv_tokens
} ropewalk_kv_queries;
#define ROPEWALK_KV_QUERIES \
  { sizeof(ropewalk_kv_queries), NULL, NULL, NULL }

// ropewalk_attend of the queries, rotated as the keys were, on the keys and values of a sequence;
// out f32 [tokens, heads, v_dim], of v_dim 0 as many channels of k as it has. A token is where its
// position says: causal (set it), windows, chunks and ALiBi count positions. On several axes
// (M-RoPE), and where options name tokens, they are as in ropewalk_attend. options->layout is not
// read, lse is [heads, tokens]; rows and starts of options are refused. Errors: as ropewalk_attend.
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_attend(const ropewalk_kv_cache* cache,
                                                    int64_t sequence,
                                                    const ropewalk_kv_queries* queries,
                                                    const ropewalk_tensor* out,
                                                    const ropewalk_attention_options* options);

// The tokens at positions first <= p < end, on the first axis.
typedef struct ropewalk_position_range {
  int64_t first, end;
} ropewalk_position_range;

// Adds deltas to the positions of a range: one for all axes, or one for each. Errors:
// invalid_argument, out_of_range for a range past the end.
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_shift(ropewalk_kv_cache* cache, int64_t sequence,
                                                   ropewalk_position_range range,
                                                   const int64_t* deltas, int64_t count);

// Drops a range; positions stay, or, of evict, what follows moves up by first - end on all axes.
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_remove(ropewalk_kv_cache* cache, int64_t sequence,
                                                    ropewalk_position_range range);
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_evict(ropewalk_kv_cache* cache, int64_t sequence,
                                                   ropewalk_position_range range);

// Keeps the first `sinks` tokens and the last `recent`, which move up behind them (StreamingLLM).
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_keep_ends(ropewalk_kv_cache* cache, int64_t sequence,
                                                       int64_t sinks, int64_t recent);

// Turns all keys of a sequence to the frequencies of another rope of the same channels, which those
// of later appends have, too: LongRoPE's long factors, dynamic NTK.
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_rerotate(ropewalk_kv_cache* cache, int64_t sequence,
                                                      const ropewalk_rope* rope);

// Makes the new sequence `to`, equal to `from`; drops one.
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_fork(ropewalk_kv_cache* cache, int64_t from,
                                                  int64_t to);
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_erase(ropewalk_kv_cache* cache, int64_t sequence);

typedef struct ropewalk_kv_facts {
  size_t struct_size;
  int64_t sequences;      // of the cache
  int64_t size_in_bytes;  // of its pages
  int64_t tokens;         // of the sequence
  int64_t length;         // 1 + its largest position on any axis
} ropewalk_kv_facts;
#define ROPEWALK_KV_FACTS \
  { sizeof(ropewalk_kv_facts), 0, 0, 0, 0 }

// struct_size must be set. Of a sequence that is not there tokens and length are 0.
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_describe(const ropewalk_kv_cache* cache,
                                                      int64_t sequence, ropewalk_kv_facts* facts);

// Copies a sequence: k [tokens, kv_heads, head_dim], rotated, v [tokens, kv_heads, v_dim], both f32
// or in the types of the cache (not I8), positions i64 [axes, tokens]. Each may be NULL.
ROPEWALK_CHECKED ropewalk_status ropewalk_kv_gather(const ropewalk_kv_cache* cache,
                                                    int64_t sequence, const ropewalk_tensor* k,
                                                    const ropewalk_tensor* v,
                                                    const ropewalk_tensor* positions);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ROPEWALK_CAPI_KV_CACHE_H_
