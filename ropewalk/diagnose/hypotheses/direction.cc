#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence&, std::vector<Proposal>& out) {
  if (from.times == 0) return;
  Turning turning = from;
  turning.times = -from.times;
  out.push_back({turning, {"direction", "sign"}});
  turning.scaling_power = -from.scaling_power;
  out.push_back({turning, {"direction", "inverse"}});
}

}  // namespace

// Minus the angle: the sign of sin, or the inverse rotation for the forward one.
constinit const Hypothesis hypothesis::direction{.propose = propose};

}  // namespace ropewalk
