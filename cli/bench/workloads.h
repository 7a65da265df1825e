#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/race.h"

namespace ropewalk::cli {

// One line of the table.
struct Measured {
  std::string workload, dtype, pairing;
  int threads = 1;
  int64_t bytes = 0;  // read and written once each at the least
  Times work, memory;
  // Where a call's time goes, in seconds: the checks (a call with no tokens) and the rows of cos
  // and sin; what is left is the rotation.
  std::optional<double> checks, rows;
  // Of what this line has more than the one before, in a series that should grow as a straight
  // line: "tokens", "heads" or "sequences".
  std::string unit = {};
  int64_t units = 0;
  // Of attention: operations counted, the seconds that they take in registers in the same run, and
  // the least time in which this machine could have done the call, as a part of the median.
  double flops = 0;
  double arithmetic = 0;
  std::optional<double> of_peak = {};
};

struct BenchOptions {
  std::vector<int> threads;  // each workload once for each
  int rounds = 11;
  bool large = false;  // 32768 tokens too: 671 MB
  bool lines = false;  // the series instead: tokens, heads and sequences doubled four times
  std::string only;    // workloads whose name holds this
  std::function<void(const std::string& workload)> progress;
};

// Throws invalid_argument, naming all workloads, where no name holds `only`.
std::vector<Measured> measure(const BenchOptions& options);

}  // namespace ropewalk::cli
