#include "ropewalk/parallel/ring_plan.h"

#include <algorithm>

#include "ropewalk/parallel/key_numbers.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using Ids = std::vector<int64_t>;

RingSequences one(const Ids& starts, int64_t ranks, ShardOrder order) {
  return {.query_starts = starts, .key_starts = starts, .ranks = ranks, .order = order};
}

TEST(RingShards, QueriesAreTheLastTokens) {
  const RingSequences all{.query_starts = {0, 2}, .key_starts = {0, 8}, .ranks = 2};
  EXPECT_EQ(query_shard(all, 1), (RingShard{{0}, {6}, {0, 1}}));
  EXPECT_EQ(query_shard(all, 0), (RingShard{{1}, {7}, {0, 1}}));
  EXPECT_EQ(key_shard(all, 1), (RingShard{{2, 3, 4, 5}, {2, 3, 4, 5}, {0, 4}}));
}

TEST(RingShards, HiddenKeysAreInNone) {
  RingSequences all = one({0, 4, 8}, 2, ShardOrder::zigzag);
  all.key_shown = {0, 1, 1, 1, 1, 1, 1, 0};
  EXPECT_EQ(key_shard(all, 0), (RingShard{{3, 4}, {3, 0}, {0, 1, 2}}));
  EXPECT_EQ(query_shard(all, 0).rows, (Ids{0, 3, 4, 7}));
  EXPECT_EQ(key_numbers(all, key_shard(all, 0), 0), (Ids{2}));
  EXPECT_EQ(key_numbers(all, key_shard(all, 1), 1), (Ids{1, 2}));
}

TEST(RingShards, StreamsThatDoNotFit) {
  RingSequences all{.query_starts = {0, 4}, .key_starts = {0, 2, 4}};
  EXPECT_ROPEWALK_ERROR(query_shard(all, 0), ErrorCode::invalid_argument,
                        "query_starts: expected 2 sequences as in key_starts, found 1");
  all.key_starts = {0, 3};
  EXPECT_ROPEWALK_ERROR(key_shard(all, 0), ErrorCode::invalid_argument,
                        "sequence 0: expected at most its 3 keys, found 4 queries");
  all.key_starts = {0, 4};
  all.key_shown = {1, 1, 1};
  EXPECT_ROPEWALK_ERROR(key_shard(all, 0), ErrorCode::invalid_argument,
                        "key_shown: expected one number for each of 4 keys, found 3");
}

TEST(RingPlan, WorkedNumber) {
  const RingPlan plan = make_ring_plan(one({0, 4}, 2, ShardOrder::contiguous), {.causal = true});
  EXPECT_EQ(
      plan,
      (RingPlan{.ranks = 2, .steps = 2, .pairs = {3, 0, 4, 3}, .reach = {1, 0}, .keys = {2, 2}}));
  EXPECT_TRUE(plan.sends(0, 0));
  EXPECT_FALSE(plan.sends(1, 0));
  EXPECT_TRUE(plan.receives(1, 0));
}

// Causal work: that of the last of n contiguous ranks is 2 - 1/n of the mean, zigzag's the mean.
TEST(RingPlan, ZigzagIsEven) {
  const RingPlan zigzag = make_ring_plan(one({0, 4096}, 4, ShardOrder::zigzag), {.causal = true});
  const auto work = [](const RingPlan& plan, int64_t rank) {
    int64_t pairs = 0;
    for (int64_t block = 0; block < plan.ranks; ++block) pairs += plan.pairs_of(rank, block);
    return pairs;
  };
  for (int64_t rank = 0; rank < 4; ++rank) EXPECT_EQ(work(zigzag, rank), 4096 * 4097 / 8);
  const RingPlan contiguous =
      make_ring_plan(one({0, 4096}, 4, ShardOrder::contiguous), {.causal = true});
  EXPECT_NEAR(static_cast<double>(work(contiguous, 3)) / (4096 * 4097 / 8), 1.75, 1e-3);
}

// Keys travel no farther than a rank sees them.
TEST(RingPlan, KeysStopWhereNoneSeesThem) {
  const auto reach = [](const RingSequences& all, const AttentionOptions& options) {
    return make_ring_plan(all, options).reach;
  };
  const auto contiguous = ShardOrder::contiguous;
  EXPECT_EQ(reach(one({0, 64}, 4, contiguous), {.causal = true}), (Ids{3, 2, 1, 0}));
  EXPECT_EQ(reach(one({0, 64}, 4, contiguous), {}), (Ids{3, 3, 3, 3}));
  EXPECT_EQ(reach(one({0, 64}, 4, contiguous), {.causal = true, .window_left = 10}),
            (Ids{1, 1, 1, 0}));
  EXPECT_EQ(reach(one({0, 16, 32, 48, 64}, 4, contiguous), {}), (Ids{0, 0, 0, 0}));
  EXPECT_EQ(reach(one({0, 2}, 4, ShardOrder::zigzag), {.causal = true}).size(), 4u);
}

int64_t counted(const TokenRuns& r, const AttentionOptions& o, int64_t prefix) {
  int64_t pairs = 0;
  for (int64_t q = r.first_query; q < r.end_query; ++q) {
    for (int64_t k = r.first_key; k < r.end_key; ++k) {
      const bool seen = (!o.causal || k <= q || k < prefix) &&
                        (o.window_left < 0 || q - k <= o.window_left) &&
                        (o.window_right < 0 || k - q <= o.window_right) &&
                        (o.chunk == 0 || k / o.chunk == q / o.chunk);
      pairs += seen ? 1 : 0;
    }
  }
  return pairs;
}

ROPEWALK_PROPERTY(RingPlan, PairsAreCounted, [] {
  const auto below = [](int64_t end) { return *rc::gen::inRange<int64_t>(0, end); };
  const int64_t q = below(40), k = below(40), prefix = below(50);
  const TokenRuns runs{q, q + below(40), k, k + below(40)};
  const AttentionOptions options{.causal = below(2) == 0,
                                 .window_left = below(2) == 0 ? -1 : below(20),
                                 .window_right = below(2) == 0 ? -1 : below(20),
                                 .chunk = below(3) == 0 ? 1 + below(30) : 0};
  RC_ASSERT(seen_pairs(runs, options, prefix) == counted(runs, options, prefix));
});

}  // namespace
}  // namespace ropewalk
