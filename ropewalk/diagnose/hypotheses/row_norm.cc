#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (from.places.unit_rows || evidence.explains(from.places)) return;
  Turning turning = from;
  turning.places.unit_rows = true;
  out.push_back({turning, {"row_norm", "each_row"}});
}

}  // namespace

// A norm of each head stands between the two dumps.
constinit const Hypothesis hypothesis::row_norm{.propose = propose, .moves_places = true};

}  // namespace ropewalk
