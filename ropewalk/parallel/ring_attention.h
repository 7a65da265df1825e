#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "ropewalk/attention/attention.h"
#include "ropewalk/parallel/ring_plan.h"

namespace ropewalk {

// How a rank reaches its neighbours: plain functions, so that threads, MPI or
// anything else serve. What one throws is thrown on.
struct RingExchange {
  int64_t rank = 0;
  // Begins to send to rank + 1 and to receive from rank - 1 (mod ranks) and returns at once. The
  // bytes stay until finish has returned; an empty span is no message.
  std::function<void(std::span<const std::byte> send, std::span<std::byte> receive)> begin;
  // Called between begin and finish while the rank computes, now and then, from one thread at a
  // time but not always the same: lets the messages get on. May be empty.
  std::function<void()> poke;
  // Returns when both have come.
  std::function<void()> finish;
};

// One rank's heads: q [queries, H, D], k [keys, Hkv, D], v [keys, Hkv, Dv] and out [queries, H, Dv]
// of query_shard and key_shard, any strides, rotated by their tokens (RingShard::tokens).
struct RingHeads {
  ConstTensorView q, k, v;
  TensorView out;
};

// One rank's part of attend over sequences that are shared among ranks; every rank calls it with
// the same sequences and options. Keys and values travel as they are: in their dtype, with their
// heads, not those of q. Each row is attend's over all keys, within the bounds of attend and, for
// each block more in which it sees a key, those of merge_attention; its bits depend on ranks and
// order, not on threads.
//
// Options are those of attend, but for what names rows of q or k: query_starts, key_starts,
// first_query, query_tokens, key_tokens, key_mask (RingSequences::key_shown is), key_lengths, mask
// and rotation. tensor_layout is thd; prefix has one number for all sequences, or one for each; lse
// is [H, queries] of this rank; progress is told of this rank's pairs. Memory: two blocks of keys
// and values beside the rank's own, and the output once more. Throws as attend does,
// invalid_argument for an option that is not taken, and what `exchange` throws; then out holds
// nothing of use, and the other ranks wait: they are to be told.
void ring_attend(const RingHeads& heads, const RingSequences& sequences,
                 const AttentionOptions& options, const RingExchange& exchange);

// Throws what ring_attend would before its first message, for ranks that agree before it; out and
// lse are written.
void check_ring(const RingHeads& heads, const RingSequences& sequences,
                const AttentionOptions& options, int64_t rank);

}  // namespace ropewalk
