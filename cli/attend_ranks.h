#pragma once

#include <functional>
#include <string>

#include "cli/attend_share.h"
#include "ropewalk/formats/file.h"

namespace ropewalk::cli {

struct RankRun {
  const AttendInput& arrays;
  const RankOptions& how;
  const std::string& output;
  Overwrite overwrite = Overwrite::refuse;
};

// The ranks that mpirun started, or this process alone, make one output, which rank 0 writes; each
// reads and computes its part. Each reads the `layer`, about which the
// first warns: what that throws, and any other fault before the first exchange, ends all ranks
// with the exit code of that fault, said once.
int attend_in_ranks(const RankRun& run, const std::function<Layer(bool first)>& layer);

}  // namespace ropewalk::cli
