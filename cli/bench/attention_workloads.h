#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/bench/workloads.h"
#include "ropewalk/base/dtype.h"

namespace ropewalk::cli {

// 32 query heads and 8 key heads of 128 channels, causal: all tokens of a prompt, or one query of
// each of `batch` sequences.
struct AttentionCase {
  std::string name;
  int64_t batch = 1, queries = 1, keys = 1;
  bool large = false;
};
std::vector<AttentionCase> attention_cases();

// flop = 4 head_dim heads (pairs of a query and a key that it sees). The peak: multiply-adds of
// float32, or dot products of bf16 where the call uses them, that stay in registers; for one query
// the slower of those and reading every key and value once. i8: of a cache, one query only. All in
// the same rounds.
Measured measure_attention(const AttentionCase& c, DType dtype, int threads, int rounds);

}  // namespace ropewalk::cli
