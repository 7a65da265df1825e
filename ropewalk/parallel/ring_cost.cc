#include "ropewalk/parallel/ring_cost.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

using Times = std::vector<double>;

size_t index(int64_t i) { return static_cast<size_t>(i); }

void check(const RingMachine& machine) {
  if (machine.flops_per_second > 0 && machine.bytes_per_second > 0 &&
      machine.latency_in_seconds >= 0) {
    return;
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("machine: expected operations and bytes a second above 0, found {} and "
                  "{}, latency {}",
                  machine.flops_per_second, machine.bytes_per_second, machine.latency_in_seconds));
}

double flops_of(const RingPlan& plan, const RingShape& shape, int64_t rank, int64_t step) {
  return 2.0 * static_cast<double>((shape.head_dim + shape.value_dim) * shape.heads) *
         static_cast<double>(plan.pairs_of(rank, plan.block_of(rank, step)));
}

int64_t bytes_of(const RingPlan& plan, const RingShape& shape, int64_t rank, int64_t step) {
  if (!plan.sends(rank, step)) return 0;
  return plan.keys[index(plan.block_of(rank, step))] * shape.kv_heads *
         (shape.head_dim + shape.value_dim) * static_cast<int64_t>(size_in_bytes(shape.dtype));
}

}  // namespace

RingCost ring_cost(const RingPlan& plan, const RingShape& shape, const RingMachine& machine) {
  check(machine);
  const int64_t ranks = plan.ranks;
  RingCost cost{.flops = Times(index(ranks)), .sent = std::vector<int64_t>(index(ranks))};
  Times begin(index(ranks));
  for (int64_t step = 0; step < plan.steps; ++step) {
    Times computed = begin, sent = begin;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const double flops = flops_of(plan, shape, rank, step);
      const int64_t bytes = bytes_of(plan, shape, rank, step);
      cost.flops[index(rank)] += flops;
      cost.sent[index(rank)] += bytes;
      computed[index(rank)] += flops / machine.flops_per_second;
      if (!plan.sends(rank, step)) continue;
      sent[index(rank)] +=
          machine.latency_in_seconds + static_cast<double>(bytes) / machine.bytes_per_second;
    }
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const double arrived =
          plan.receives(rank, step) ? sent[index((rank + ranks - 1) % ranks)] : 0;
      begin[index(rank)] = std::max({computed[index(rank)], sent[index(rank)], arrived});
    }
  }
  cost.finished = begin;
  const double all = std::accumulate(cost.flops.begin(), cost.flops.end(), 0.0),
               most = *std::ranges::max_element(cost.flops);
  cost.seconds = *std::ranges::max_element(begin);
  cost.one_rank_seconds = all / machine.flops_per_second;
  const auto count = static_cast<double>(ranks);
  if (most > 0) cost.balance = all / (count * most);
  if (cost.seconds > 0) cost.efficiency = cost.one_rank_seconds / (count * cost.seconds);
  return cost;
}

}  // namespace ropewalk
