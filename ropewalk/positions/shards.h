#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ropewalk {

// How the ranks of context parallelism share the tokens.
enum class ShardOrder {
  contiguous,  // a run of the whole stream each
  zigzag,  // of each sequence, chunks r and 2 ranks - 1 - r of 2 ranks chunks: with a causal mask
           // every rank has the same work (Megatron-LM, TransformerEngine, ring attention)
};

struct ShardSpec {
  int64_t ranks = 1, rank = 0;
  ShardOrder order = ShardOrder::contiguous;
};

// The tokens of one rank.
struct TokenShard {
  std::vector<int64_t> tokens;     // indices into the whole stream, rising
  std::vector<int64_t> positions;  // of each in its sequence

  bool operator==(const TokenShard&) const = default;
};

// Tokens of one rank, for sequences packed with the boundaries cu_seqlens (0, end of the first,
// ...; one sequence of S tokens is 0, S). Lengths need not divide: part i of n parts of L tokens is
// [L i / n], ..., [L (i + 1) / n] - 1, rounded down, which is even where it can be.
//   0 8, 2 ranks, zigzag:   rank 0 has 0 1 6 7, rank 1 has 2 3 4 5
//   0 4 8, 2 ranks, zigzag: rank 0 has 0 3 4 7 at positions 0 3 0 3
//   0 4 8, 2 ranks, contiguous: rank 1 has 4 5 6 7 at positions 0 1 2 3
// Throws invalid_argument unless 0 <= rank < ranks <= 2^20 and the boundaries rise from 0,
// resource_limit beyond 2^28 tokens.
TokenShard shard_tokens(std::span<const int64_t> cu_seqlens, const ShardSpec& spec);

}  // namespace ropewalk
