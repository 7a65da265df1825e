#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence&, std::vector<Proposal>& out) {
  if (from.times == 0 || from.exchanged) return;
  Turning turning = from;
  turning.exchanged = true;
  out.push_back({turning, {"exchange", "cos_and_sin"}});
}

}  // namespace

// a sin - b cos, b sin + a cos: the two tables in the wrong order.
constinit const Hypothesis hypothesis::exchange{.propose = propose};

}  // namespace ropewalk
