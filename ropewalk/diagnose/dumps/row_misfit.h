#pragma once

#include "ropewalk/diagnose/dumps/misfit.h"

namespace ropewalk {

// The same of a turning that is no rotation of pairs, row by row: its numbers are computed and
// compared. `turning` has rows of tokens, heads in their order.
Misfit row_misfit(const DumpRows& rows, const Turning& turning, const Multipliers& multipliers,
                  const MisfitOptions& options);

}  // namespace ropewalk
