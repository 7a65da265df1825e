#pragma once

#include <cstdint>

#include "ropewalk/attention/prepare_heads.h"
#include "ropewalk/parallel/ring_shards.h"

namespace ropewalk {

// Where the tokens of the whole stream of keys stand.
struct StreamPositions {
  // [keys] or [axes, 1, keys]; a run: each sequence counts from its `first`.
  PositionIds ids = positions_from(0);
  int64_t seq_len = 0;  // of every sequence, for scalings that depend on it; 0: its own
};

// What prepare_heads does, of the heads of one rank: q [queries, H, D], k and v [keys, Hkv, ...] of
// query_shard and key_shard, in place. Each rank turns by its own positions in the whole, with the
// scaling that a sequence has as a whole: the bits of prepare_heads over all ranks' heads. Throws
// as prepare_heads.
void prepare_shard(const Layer& layer, const HeadNorms& norms, const RingSequences& sequences,
                   int64_t rank, const StreamPositions& positions, const ProjectedHeads& heads);

}  // namespace ropewalk
