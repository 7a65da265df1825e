#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (from.places.grouping != RowGrouping::tokens || evidence.rows().heads < 2) return;
  Turning turning = from;
  turning.places.grouping = RowGrouping::heads;
  out.push_back({turning, {"array_layout", "heads_as_tokens"}});
  turning.places.grouping = RowGrouping::reshaped;
  out.push_back({turning, {"array_layout", "reshaped"}});
}

}  // namespace

// [batch, seq, heads, head_dim] taken for [batch, heads, seq, head_dim], or the other way round.
constinit const Hypothesis hypothesis::array_layout{.propose = propose, .moves_places = true};

}  // namespace ropewalk
