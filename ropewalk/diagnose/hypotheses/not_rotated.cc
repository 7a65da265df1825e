#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence&, std::vector<Proposal>& out) {
  if (from.times == 0) return;
  Turning still = from;
  still.times = 0;
  still.scaling_power = 0;
  out.push_back({still, {"not_rotated", "at_all"}});
}

}  // namespace

// The dump is that before the rotation, or the layer was taken for one without.
constinit const Hypothesis hypothesis::not_rotated{.propose = propose};

}  // namespace ropewalk
