#include "ropewalk/parallel/ring_attention.h"

#include <utility>

#include "ropewalk/attention/within_memory.h"
#include "ropewalk/parallel/ring_block.h"

namespace ropewalk {
namespace {

void attend_in_ring(const RingHeads& heads, const RingSequences& sequences,
                    const AttentionOptions& options, const RingExchange& exchange) {
  const int64_t rank = exchange.rank;
  RingMeetings meetings(heads, sequences, options, rank);
  const RingPlan plan = make_ring_plan(sequences, options);
  RingBlock block = meetings.own(), next;
  for (int64_t step = 0; step < plan.steps; ++step) {
    const bool sends = plan.sends(rank, step), receives = plan.receives(rank, step);
    next = receives ? meetings.empty(plan.block_of(rank, step + 1)) : RingBlock{};
    const bool exchanges = sends || receives;
    if (exchanges) {
      exchange.begin(sends ? std::span<const std::byte>(block.bytes) : std::span<const std::byte>(),
                     next.bytes);
    }
    // The last step has its work too; one that sees nothing of this block only passes it on.
    if (plan.pairs_of(rank, plan.block_of(rank, step)) > 0) {
      meetings.meet(block, exchanges ? exchange.poke : std::function<void()>());
    }
    if (exchanges) exchange.finish();
    std::swap(block, next);
  }
  meetings.finish();
}

}  // namespace

void ring_attend(const RingHeads& heads, const RingSequences& sequences,
                 const AttentionOptions& options, const RingExchange& exchange) {
  within_memory("ring_attend", [&] { attend_in_ring(heads, sequences, options, exchange); });
}

void check_ring(const RingHeads& heads, const RingSequences& sequences,
                const AttentionOptions& options, int64_t rank) {
  within_memory("ring_attend", [&] { RingMeetings(heads, sequences, options, rank); });
}

}  // namespace ropewalk
