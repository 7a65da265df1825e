#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (from.places.unit_rows || evidence.explains(from.places)) return;
  Turning turning = from;
  turning.places.unit_rows = true;
  // Where the whole head turns, a norm takes the attention scaling away with the length.
  const RotaryLayout& layout = from.places.in;
  int64_t turned = 0;
  for (const RotaryWindow& window : layout.windows) turned += window.dim;
  if (turned == layout.head_dim) turning.scaling_power = 0;
  out.push_back({turning, {"row_norm", "each_row"}});
}

}  // namespace

// A norm of each head stands between the two dumps.
constinit const Hypothesis hypothesis::row_norm{.propose = propose, .moves_places = true};

}  // namespace ropewalk
