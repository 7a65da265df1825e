#include "ropewalk/parallel/ring_plan.h"

#include <algorithm>

namespace ropewalk {
namespace {

// Farther than any token.
constexpr int64_t kFar = int64_t{1} << 40;

struct Line {
  int64_t shift = 0, least = 0, most = 0;
};

// The sum of clamp(q + shift, least, most) over q of [begin, end).
int64_t clamped_sum(int64_t begin, int64_t end, const Line& line) {
  const int64_t rise = std::clamp(line.least - line.shift, begin, end);
  const int64_t flat = std::clamp(line.most - line.shift, rise, end);
  const int64_t between = (flat - rise) * (rise + flat - 1 + 2 * line.shift) / 2;
  return (rise - begin) * line.least + between + (end - flat) * line.most;
}

// Queries of one chunk that see a key up to `right` tokens behind them and before `end`.
int64_t pairs_of_piece(const TokenRuns& r, int64_t left, int64_t right, TokenRuns limits) {
  const auto inside = [&](int64_t token) { return std::clamp(token, r.first_key, r.end_key); };
  return clamped_sum(r.first_query, r.end_query, {right + 1, r.first_key, inside(limits.end_key)}) -
         clamped_sum(r.first_query, r.end_query, {-left, inside(limits.first_key), r.end_key});
}

// Consecutive tokens of one sequence.
struct Run {
  int64_t begin = 0, end = 0;
};

std::vector<Run> runs_of(const RingShard& shard, size_t sequence) {
  std::vector<Run> runs;
  for (int64_t i = shard.starts[sequence]; i < shard.starts[sequence + 1]; ++i) {
    const int64_t token = shard.tokens[static_cast<size_t>(i)];
    if (!runs.empty() && runs.back().end == token) {
      ++runs.back().end;
    } else {
      runs.push_back({token, token + 1});
    }
  }
  return runs;
}

// [ranks][sequences]
using RunsOfRanks = std::vector<std::vector<std::vector<Run>>>;

template <typename ShardOf>
RunsOfRanks runs_of_ranks(const RingSequences& sequences, ShardOf shard_of) {
  RunsOfRanks result;
  for (int64_t rank = 0; rank < sequences.ranks; ++rank) {
    const RingShard shard = shard_of(sequences, rank);
    result.emplace_back();
    for (size_t s = 0; s + 1 < shard.starts.size(); ++s) result.back().push_back(runs_of(shard, s));
  }
  return result;
}

}  // namespace

int64_t seen_pairs(const TokenRuns& runs, const AttentionOptions& options, int64_t prefix) {
  const int64_t left = options.window_left >= 0 ? options.window_left : kFar;
  const int64_t window = options.window_right >= 0 ? options.window_right : kFar;
  const int64_t right = options.causal ? 0 : window;
  int64_t pairs = 0;
  for (int64_t query = runs.first_query; query < runs.end_query;) {
    TokenRuns piece = runs, limits{0, 0, -kFar, kFar};
    piece.first_query = query;
    if (options.chunk > 0) {
      const int64_t before = query < 0 ? options.chunk - 1 : 0;  // chunks are floored
      limits.first_key = (query - before) / options.chunk * options.chunk;
      limits.end_key = limits.first_key + options.chunk;
      piece.end_query = std::min(runs.end_query, limits.end_key);
    }
    query = piece.end_query;
    if (options.causal && piece.first_query + 1 < prefix) {
      TokenRuns prompt = piece;
      prompt.end_query = std::min(piece.end_query, prefix - 1);
      pairs += pairs_of_piece(prompt, left, window,
                              {0, 0, limits.first_key, std::min(limits.end_key, prefix)});
      piece.first_query = prompt.end_query;
    }
    pairs += pairs_of_piece(piece, left, right, limits);
  }
  return pairs;
}

int64_t prefix_of_sequence(const AttentionOptions& options, int64_t s) {
  if (options.prefix.empty()) return 0;
  return options.prefix[options.prefix.size() == 1 ? 0 : static_cast<size_t>(s)];
}

int64_t first_chunk_token(const RingSequences& sequences, const AttentionOptions& options,
                          int64_t s) {
  if (options.chunk == 0 || sequences.key_shown.empty()) return 0;
  const int64_t begin = sequences.key_starts[static_cast<size_t>(s)],
                end = sequences.key_starts[static_cast<size_t>(s) + 1];
  for (int64_t key = begin; key < end; ++key) {
    if (sequences.key_shown[static_cast<size_t>(key)] != 0) return key - begin;
  }
  return 0;
}

RingPlan make_ring_plan(const RingSequences& sequences, const AttentionOptions& options) {
  RingSequences whole = sequences;
  whole.key_shown.clear();
  const RunsOfRanks queries = runs_of_ranks(whole, query_shard),
                    keys = runs_of_ranks(whole, key_shard);
  const int64_t ranks = sequences.ranks;
  RingPlan plan{.ranks = ranks,
                .pairs = std::vector<int64_t>(static_cast<size_t>(ranks * ranks)),
                .reach = std::vector<int64_t>(static_cast<size_t>(ranks))};
  for (int64_t s = 0; s < sequences.sequences(); ++s) {
    const int64_t shift = first_chunk_token(sequences, options, s);
    const int64_t prefix = prefix_of_sequence(options, s) - shift;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      for (const Run& q : queries[static_cast<size_t>(rank)][static_cast<size_t>(s)]) {
        for (int64_t block = 0; block < ranks; ++block) {
          for (const Run& k : keys[static_cast<size_t>(block)][static_cast<size_t>(s)]) {
            plan.pairs[static_cast<size_t>(rank * ranks + block)] += seen_pairs(
                {q.begin - shift, q.end - shift, k.begin - shift, k.end - shift}, options, prefix);
          }
        }
      }
    }
  }
  for (int64_t block = 0; block < ranks; ++block) {
    plan.keys.push_back(std::ssize(key_shard(sequences, block).rows));
    for (int64_t step = 0; step < ranks; ++step) {
      if (plan.pairs_of((block + step) % ranks, block) == 0) continue;
      plan.reach[static_cast<size_t>(block)] = step;
      plan.steps = std::max(plan.steps, step + 1);
    }
  }
  return plan;
}

}  // namespace ropewalk
