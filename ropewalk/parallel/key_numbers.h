#pragma once

#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/parallel/ring_shards.h"

namespace ropewalk {

// Whether a key's bias depends on how many keys come before it, in all ranks: ALiBi's key_position.
bool counts_keys(const AttentionOptions& options);

// How many keys of sequence s come before each of a shard's.
std::vector<int64_t> key_numbers(const RingSequences& sequences, const RingShard& shard, int64_t s);

// What attend adds for them, [heads, keys]: slope times number times alibi_scale, slope, number and
// product rounded to bf16 where alibi_bf16 says so.
std::vector<float> key_position_bias(const AttentionOptions& options,
                                     const std::vector<int64_t>& numbers);

}  // namespace ropewalk
