#pragma once

#include <cstdint>

namespace ropewalk {

// What the best instruction set of this machine can do at most, for attention to stand beside.

// Runs `steps` rounds of multiply-adds on float32 vectors that stay in registers, and returns how
// many products and sums that were.
double peak_multiply_adds(int64_t steps);

// The same of bf16 dot products (AVX512-BF16); 1 for no steps, 0 where the machine has none.
double peak_dot_products(int64_t steps);

// Reads memory once.
void read_memory(const void* from, int64_t bytes);

}  // namespace ropewalk
