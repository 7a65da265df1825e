#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/diagnose/checkpoint_rows.h"
#include "ropewalk/diagnose/permuted_rows.h"

namespace ropewalk {

// Number for number, in the coarser of the two types. `own` are the rows of q (or k) of A, `other`
// those of k (or q); `channels` says which channel of a head of A stands in each place of B.
RowOrigins row_origins(const CheckpointRows& own, const CheckpointRows& other,
                       const CheckpointRows& b, const std::vector<int64_t>& channels);

}  // namespace ropewalk
