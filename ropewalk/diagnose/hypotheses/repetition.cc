#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence&, std::vector<Proposal>& out) {
  if (from.times == 0) return;
  Turning turning = from;
  turning.times = 2 * from.times;
  turning.scaling_power = 2 * from.scaling_power;
  out.push_back({turning, {"repetition", "twice"}});
  turning.scaling_power = from.scaling_power;
  out.push_back({turning, {"repetition", "doubled_angle"}});
}

}  // namespace

// Rotated twice, or by twice the angle.
constinit const Hypothesis hypothesis::repetition{.propose = propose};

}  // namespace ropewalk
