#include "ropewalk/positions/shards.h"

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/positions/check.h"

namespace ropewalk {
namespace {

constexpr int64_t kMostRanks = int64_t{1} << 20;

void check(const ShardSpec& spec) {
  if (spec.ranks < 1 || spec.ranks > kMostRanks || spec.rank < 0 || spec.rank >= spec.ranks) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("shard: expected a rank of 1 to {} ranks, found rank {} of {}",
                            kMostRanks, spec.rank, spec.ranks));
  }
}

struct Run {
  int64_t begin = 0, end = 0;
};

Run part(Run whole, int64_t index, int64_t parts) {
  const int64_t length = whole.end - whole.begin;
  return {whole.begin + length * index / parts, whole.begin + length * (index + 1) / parts};
}

// The tokens of `run` that lie in `sequence`.
void append(Run run, Run sequence, TokenShard& shard) {
  for (int64_t token = std::max(run.begin, sequence.begin); token < std::min(run.end, sequence.end);
       ++token) {
    shard.tokens.push_back(token);
    shard.positions.push_back(token - sequence.begin);
  }
}

}  // namespace

TokenShard shard_tokens(std::span<const int64_t> cu_seqlens, const ShardSpec& spec) {
  check(spec);
  check_cu_seqlens(cu_seqlens);
  const Run own = part({0, cu_seqlens.back()}, spec.rank, spec.ranks);
  TokenShard shard;
  for (size_t i = 0; i + 1 < cu_seqlens.size(); ++i) {
    const Run sequence{cu_seqlens[i], cu_seqlens[i + 1]};
    if (spec.order == ShardOrder::contiguous) {
      append(own, sequence, shard);
      continue;
    }
    append(part(sequence, spec.rank, 2 * spec.ranks), sequence, shard);
    append(part(sequence, 2 * spec.ranks - 1 - spec.rank, 2 * spec.ranks), sequence, shard);
  }
  return shard;
}

}  // namespace ropewalk
