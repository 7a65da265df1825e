#include "ropewalk/parallel/ring_shards.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/positions/check.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

void check(const RingSequences& all) {
  check_cu_seqlens(all.query_starts);
  check_cu_seqlens(all.key_starts);
  if (all.query_starts.size() != all.key_starts.size()) {
    fail(fmt::format("query_starts: expected {} sequences as in key_starts, found {}",
                     all.sequences(), all.query_starts.size() - 1));
  }
  for (size_t s = 0; s + 1 < all.key_starts.size(); ++s) {
    const int64_t queries = all.query_starts[s + 1] - all.query_starts[s];
    const int64_t keys = all.key_starts[s + 1] - all.key_starts[s];
    if (queries <= keys) continue;
    fail(fmt::format("sequence {}: expected at most its {} keys, found {} queries", s, keys,
                     queries));
  }
  if (!all.key_shown.empty() && std::ssize(all.key_shown) != all.key_starts.back()) {
    fail(fmt::format("key_shown: expected one number for each of {} keys, found {}",
                     all.key_starts.back(), all.key_shown.size()));
  }
}

// The shard with its rows cut at the sequences' starts.
RingShard cut(TokenShard shard, std::span<const int64_t> starts) {
  RingShard result{std::move(shard.tokens), std::move(shard.positions), {}};
  for (const int64_t start : starts) {
    result.starts.push_back(std::ranges::lower_bound(result.rows, start) - result.rows.begin());
  }
  return result;
}

}  // namespace

RingShard query_shard(const RingSequences& sequences, int64_t rank) {
  check(sequences);
  const std::vector<int64_t>& starts = sequences.query_starts;
  RingShard shard = cut(shard_tokens(starts, {sequences.ranks, rank, sequences.order}), starts);
  for (size_t s = 0; s + 1 < starts.size(); ++s) {
    const int64_t first =
        sequences.key_starts[s + 1] - sequences.key_starts[s] - (starts[s + 1] - starts[s]);
    for (int64_t i = shard.starts[s]; i < shard.starts[s + 1]; ++i) {
      shard.tokens[static_cast<size_t>(i)] += first;
    }
  }
  return shard;
}

RingShard key_shard(const RingSequences& sequences, int64_t rank) {
  check(sequences);
  TokenShard shard = shard_tokens(sequences.key_starts, {sequences.ranks, rank, sequences.order});
  if (!sequences.key_shown.empty()) {
    size_t kept = 0;
    for (size_t i = 0; i < shard.tokens.size(); ++i) {
      if (sequences.key_shown[static_cast<size_t>(shard.tokens[i])] == 0) continue;
      shard.tokens[kept] = shard.tokens[i];
      shard.positions[kept++] = shard.positions[i];
    }
    shard.tokens.resize(kept);
    shard.positions.resize(kept);
  }
  return cut(std::move(shard), sequences.key_starts);
}

}  // namespace ropewalk
