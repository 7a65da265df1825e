#pragma once

#include "cli/rank_options.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::cli {

// Prints what a run of so many ranks would cost: bytes, work of each rank, and how much of their
// time is work.
int print_attend_plan(const RankOptions& options, const Layer& layer);

}  // namespace ropewalk::cli
