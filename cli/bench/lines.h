#pragma once

#include <string>
#include <vector>

#include "cli/bench/workloads.h"

namespace ropewalk::cli {

// The straight line that a series follows best: seconds = fixed + each * units.
struct Line {
  std::string unit, dtype;
  int threads = 1;
  int64_t first = 0, last = 0;  // units
  double fixed = 0, each = 0;   // seconds
  double worst = 0;             // a measured time over the line's, the farthest of them, minus 1
};

// One for each unit, dtype and number of threads, through the least times, as medians move with
// what else the machine does; each point counts by its relative distance.
std::vector<Line> straight_lines(const std::vector<Measured>& rows);

}  // namespace ropewalk::cli
