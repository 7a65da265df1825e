#include "ropewalk/parallel/ring_cost.h"

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

RingCost cost_of(int64_t tokens, int64_t ranks, ShardOrder order, const RingMachine& machine) {
  const RingSequences sequences{
      .query_starts = {0, tokens}, .key_starts = {0, tokens}, .ranks = ranks, .order = order};
  return ring_cost(make_ring_plan(sequences, {.causal = true}), {}, machine);
}

TEST(RingCost, WorkedNumber) {
  const RingCost cost = cost_of(4, 2, ShardOrder::contiguous, {1, 1e9});
  EXPECT_EQ(cost.flops, (std::vector<double>{12, 28}));
  EXPECT_EQ(cost.sent, (std::vector<int64_t>{2 * 2 * 4, 0}));
  EXPECT_EQ(cost.one_rank_seconds, 40);
  EXPECT_NEAR(cost.seconds, 28, 1e-6);
  EXPECT_NEAR(cost.balance, 20.0 / 28, 1e-12);
  EXPECT_NEAR(cost.efficiency, 20.0 / 28, 1e-6);
}

// A slow way is waited for: rank 1 has its block when 16 bytes have come.
TEST(RingCost, WaitsForKeys) {
  const RingCost cost = cost_of(4, 2, ShardOrder::contiguous, {1, 0.1, 5});
  EXPECT_NEAR(cost.finished[1], 160 + 5 + 16, 1e-9);
}

// Causal work on 4 ranks: the last of the contiguous ones has 7 of 16 parts, 1.75 times the mean.
TEST(RingCost, ZigzagBeatsContiguous) {
  const RingMachine machine{1e9, 1e12};
  const double zigzag = cost_of(4096, 4, ShardOrder::zigzag, machine).seconds,
               contiguous = cost_of(4096, 4, ShardOrder::contiguous, machine).seconds;
  EXPECT_NEAR(contiguous / zigzag, 1.75, 0.01);
}

TEST(RingCost, OneRankAndNoWork) {
  EXPECT_EQ(cost_of(64, 1, ShardOrder::zigzag, {1e9, 1e9}).efficiency, 1);
  EXPECT_EQ(cost_of(0, 4, ShardOrder::zigzag, {1e9, 1e9}).efficiency, 1);
  EXPECT_ROPEWALK_ERROR(cost_of(4, 2, ShardOrder::zigzag, {0, 1}), ErrorCode::invalid_argument,
                        "machine: expected operations and bytes a second above 0, found 0 and 1");
}

}  // namespace
}  // namespace ropewalk
