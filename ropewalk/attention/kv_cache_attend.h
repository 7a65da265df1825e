#pragma once

#include <cstdint>

#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/kv_cache.h"

namespace ropewalk {

// attend with the keys and values of one sequence of a cache, read page by page where they lie:
// what attend gives for gather(sequence), without the copy, and with the same bits unless k and v
// are i8. q [1, Sq, H, D] in options.tensor_layout, or [Sq, H, D] with thd, rotated as the cached
// keys are; token j is the jth that was appended and is still there, whatever its position.
// options.rotation and the lists of starts must be empty. Of i8 one query is multiplied with the
// numbers as they are stored, their scales outside the sums; more queries, and k and v of two types
// one of which is i8, go through gather_f32. Throws as attend and KvCache do, and invalid_argument
// for a cache without values.
void attend(const ConstTensorView& q, const KvCache& cache, int64_t sequence, const TensorView& out,
            const AttentionOptions& options = {});

}  // namespace ropewalk
