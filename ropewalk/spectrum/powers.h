#pragma once

#include <cstdint>
#include <vector>

namespace ropewalk {

// base^(2i/dim) for i < count, each operation rounded to float32 in this order, as the models' own
// code does it:
//   power_i = pow(float(base), float(2i) / float(dim))
// float32 pow is taken as the double result rounded once: torch's vectorised pow is now and then
// one ULP off that (SLEEF's powf), its scalar one is not.
std::vector<float> powers(double base, int64_t dim, int64_t count);

// 1 / base^(2i/dim), i < dim/2: the frequencies with no scaling
// (transformers modeling_llama.py, compute_default_rope_parameters).
std::vector<float> default_inv_freq(double base, int64_t dim);

}  // namespace ropewalk
