#pragma once

#include <cstddef>
#include <vector>

#include "ropewalk/diagnose/dumps/pair_fits.h"
#include "ropewalk/diagnose/dumps/turning.h"

namespace ropewalk {

// How far a dump is from what a turning would have made.
struct Misfit {
  bool holds = true;  // nothing is off by more than the tolerance
  double rms = 0;     // sqrt(sum |y - predicted|^2 / sum |predicted|^2)
  double worst = 0;   // of one pair of one group, in tolerances
  // The first that is off, in the order of the groups; pair == pairs: channels that do not turn.
  size_t group = 0, pair = 0;
  std::vector<size_t> wrong_groups;  // all that are off
  double largest_angle = 0;
};

struct MisfitOptions {
  double tolerance = 0;  // of |ratio - multiplier|, relative
  double flips =
      0;  // what a number of a table that was rounded to its other side may add, if few are
  bool stop_early = false;  // at the first that is off: the rest is then not filled in
};

// An angle of float32 may be off by what its product and its frequency, of some operations, are
// rounded by, which is allowed beside the tolerance.
Misfit misfit(const PairFits& fits, const Multipliers& multipliers, const MisfitOptions& options);

}  // namespace ropewalk
