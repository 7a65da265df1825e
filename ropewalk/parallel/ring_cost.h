#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/base/dtype.h"
#include "ropewalk/parallel/ring_plan.h"

namespace ropewalk {

struct RingShape {
  int64_t heads = 1, kv_heads = 1, head_dim = 1, value_dim = 1;
  DType dtype = DType::f32;  // of the keys and values that travel
};

// What one rank does, and the way to its neighbour.
struct RingMachine {
  double flops_per_second = 0, bytes_per_second = 0;
  double latency_in_seconds = 0;
};

// What a plan costs each rank, and how long the slowest takes.
struct RingCost {
  std::vector<double> flops;     // [ranks]: 2 (D + Dv) H for each seen pair
  std::vector<int64_t> sent;     // [ranks]: bytes, (D + Dv) Hkv numbers for each key that is sent
  std::vector<double> finished;  // [ranks]: seconds from the beginning
  double seconds = 0;            // the last of them
  double one_rank_seconds = 0;   // the same work on one rank
  double balance = 1;            // mean work of a rank by the most of one
  double efficiency = 1;         // one_rank_seconds / (ranks seconds)
};

// Each step of a rank begins when it has the block of the step and is done with the one before; it
// computes its pairs while that block is on its way to the next rank:
//   begin(r, s + 1) = max(begin(r, s) + flops(r, s) / rate, begin(r - 1, s) + latency + bytes /
//   bandwidth) where a block is received,
// and no step ends before what it sends has gone. Worked number: 4 tokens on 2 ranks, contiguous,
// causal, one head of one channel, 1 flop and any number of bytes a second: 12 and 28 flop of 40,
// 28 s, balance 20/28 = 0.714. Left out: merging, the first copy of the own keys, other ranks on
// the same processor.
RingCost ring_cost(const RingPlan& plan, const RingShape& shape, const RingMachine& machine);

}  // namespace ropewalk
