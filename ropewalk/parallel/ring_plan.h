#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/parallel/ring_shards.h"

namespace ropewalk {

// Ring attention (Liu et al. 2023, arXiv:2310.01889): each rank keeps its queries; blocks of keys
// and values, one a rank, travel. In step s rank r meets block (r - s) mod ranks and meanwhile
// sends it to rank r + 1. A block stops where no rank farther on sees a key of it.
struct RingPlan {
  int64_t ranks = 1, steps = 1;
  // [ranks, ranks]: pairs of a query and a key that it sees, hidden keys counted, of one head, of a
  // rank's queries and a block.
  std::vector<int64_t> pairs;
  std::vector<int64_t> reach;  // [ranks]: the last step in which a rank sees a key of the block
  std::vector<int64_t> keys;   // [ranks]: of each block

  int64_t pairs_of(int64_t rank, int64_t block) const {
    return pairs[static_cast<size_t>(rank * ranks + block)];
  }
  int64_t block_of(int64_t rank, int64_t step) const {
    return (rank - step % ranks + ranks) % ranks;
  }
  // Whether the block that `rank` meets in `step` goes on to the next rank.
  bool sends(int64_t rank, int64_t step) const {
    return reach[static_cast<size_t>(block_of(rank, step))] > step;
  }
  bool receives(int64_t rank, int64_t step) const {
    return sends((rank + ranks - 1) % ranks, step);
  }

  bool operator==(const RingPlan&) const = default;
};

// By causal, prefix, window_left, window_right and chunk of the options. Worked number: 0 4 on 2
// ranks, contiguous, causal: rank 0 has 3 pairs of its own block, rank 1 has 4 of block 0 and 3 of
// its own; block 0 reaches step 1, block 1 step 0. Throws as query_shard.
RingPlan make_ring_plan(const RingSequences& sequences, const AttentionOptions& options);

// What tokens [first_query, end_query) of a sequence see of its tokens [first_key, end_key), by the
// same options; `prefix` and chunks are counted from token 0.
struct TokenRuns {
  int64_t first_query = 0, end_query = 0, first_key = 0, end_key = 0;
};
int64_t seen_pairs(const TokenRuns& runs, const AttentionOptions& options, int64_t prefix);

// Of sequence s: options.prefix, which has one number for all or one for each.
int64_t prefix_of_sequence(const AttentionOptions& options, int64_t s);

// The token that chunks are counted from: the first key that is shown, where some are hidden.
int64_t first_chunk_token(const RingSequences& sequences, const AttentionOptions& options,
                          int64_t s);

}  // namespace ropewalk
