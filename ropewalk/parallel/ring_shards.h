#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/positions/shards.h"

namespace ropewalk {

// Sequences packed one behind the other, a stream of queries and one of keys, and how ranks share
// them. A batch of B sequences of S tokens is the stream 0, S, 2 S, ...
struct RingSequences {
  // cu_seqlens: sequence s has the queries query_starts[s] .. query_starts[s + 1] - 1 and the keys
  // key_starts[s] .. key_starts[s + 1] - 1; its queries are the last of its tokens.
  std::vector<int64_t> query_starts, key_starts;
  std::vector<uint8_t> key_shown = {};  // [keys]: 0 hides a key (padding). Empty: all are there
  int64_t ranks = 1;
  ShardOrder order = ShardOrder::zigzag;

  int64_t sequences() const { return std::ssize(key_starts) - 1; }
};

// What one rank has of a stream.
struct RingShard {
  std::vector<int64_t> rows;    // of the whole stream, rising
  std::vector<int64_t> tokens;  // of each in its sequence: the position that it is rotated by
  std::vector<int64_t> starts;  // [sequences + 1]: sequence s has numbers starts[s] ..

  bool operator==(const RingShard&) const = default;
};

// Shards of shard_tokens, of the queries and of the keys; a hidden key is in none.
//   sequence 0 8, 2 ranks, zigzag: rank 0 has the queries and keys 0 1 6 7
//   queries 0 2 of keys 0 8, 2 ranks: rank 1 has query 0, token 6, and keys 2 3 4 5
// Throws as shard_tokens, and invalid_argument for streams of different numbers of sequences, more
// queries than keys in one, or another length of key_shown.
RingShard query_shard(const RingSequences& sequences, int64_t rank);
RingShard key_shard(const RingSequences& sequences, int64_t rank);

}  // namespace ropewalk
