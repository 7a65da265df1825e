#pragma once

#include <cstdint>
#include <functional>

#include "ropewalk/attention/attention_run.h"

namespace ropewalk {

// Whether each sequence has one query at the most, few heads that share a key and no mask: the keys
// are then read once, where they lie.
bool is_decode(const AttentionCall& call);

// Each query meets its keys, in parts of a fixed number of keys that threads share and that are
// merged in order, so that no bit depends on the threads; then `finish` has what came out.
void decode(
    const AttentionCall& call,
    const std::function<void(const AttentionBlock& block, const AttentionTask& task)>& finish);

}  // namespace ropewalk
