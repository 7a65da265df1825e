#pragma once

#include <optional>
#include <vector>

#include "ropewalk/diagnose/dumps/dump_evidence.h"
#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {

// What would have made the dump: one fault, or two at once.
struct Explanation {
  std::vector<Cause> causes;
  Turning turning;
  double rms = 0;  // what it leaves, relative to the rows
};

struct SearchResult {
  std::vector<Explanation> found;  // within the tolerance, the likeliest first
  // Where none is: the first places, as expected or by one fault, whose pairs turn by some angles.
  std::optional<Explanation> places{};
};

// Every hypothesis alone, then, where none holds and `most` is 2, two at once. What leaves twice as
// much as the best is no explanation.
SearchResult explain(const Turning& expected, DumpEvidence& evidence, int most);

// The same with the places as they are, for those that are known; of `most` faults at once, 1 or 2.
SearchResult explain_in_place(const Turning& expected, DumpEvidence& evidence, int most);

}  // namespace ropewalk
