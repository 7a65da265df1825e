#pragma once

#include <vector>

#include "ropewalk/diagnose/dumps/pair_fits.h"

namespace ropewalk {

// Tokens to search: the first, some ever farther apart and those after them, the first that are
// wrong, the last; 4096 rows of `heads` at most, where 32 tokens are not more; all where there are
// few.
std::vector<DumpRows::Place> sample_tokens(const PositionTable& positions,
                                           const std::vector<DumpRows::Place>& wrong,
                                           int64_t heads);

}  // namespace ropewalk
