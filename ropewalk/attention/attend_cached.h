#pragma once

#include <cstdint>
#include <optional>

#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/kv_cache.h"

namespace ropewalk {

// Queries on one sequence of a cache, not rotated: what append takes, of q.
struct KvQueries {
  ConstTensorView q;                     // [tokens, heads, head_dim] of f32, bf16 or f16
  std::optional<PositionIds> positions;  // absent: those of the last tokens of the sequence
  const RopeRows* rows = nullptr;        // of the sequence's spectrum there, made once for a step
};

// out = attend of the queries, rotated as the keys of the cache were, on the keys and values of a
// sequence: apply_rope, then attend on the pages of the cache (kv_cache_attend.h). out [tokens,
// heads, channels] float32; where the cache keeps no values (v_dim 0) they are the first so many
// channels of k.
//
// A token is where its position says (query_tokens, key_tokens; on one axis): causal, windows,
// chunks and ALiBi count positions, a gap that remove left among them. Tokens of
// queries may be named otherwise. On several axes (M-RoPE), and where options name tokens of keys,
// they are as in attend: cells in their order, the queries last.
// options.tensor_layout is not read; rotation and starts are refused. Throws as attend and KvCache.
void attend_cached(const KvCache& cache, int64_t sequence, const KvQueries& queries,
                   const TensorView& out, const AttentionOptions& options = {});

}  // namespace ropewalk
