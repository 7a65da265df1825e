#pragma once

#include <cstdint>

namespace ropewalk {

// Inverted dropout: element e is kept when uniform_at(seed, e) >= probability, and multiplied by 1
// / (1 - probability).
struct Dropout {
  double probability = 0;
  uint64_t seed = 0;
};

// A row of floats at a stride in elements.
struct FloatRow {
  float* data;
  int64_t stride;
};
struct ConstFloatRow {
  const float* data;
  int64_t stride;
};

// out[c] = x[c] + addend[c] for c < count, then dropout: out[c] counts as element
// first_element + c. A null addend adds nothing, a probability of 0 drops nothing. One pass.
void add_row(ConstFloatRow x, ConstFloatRow addend, FloatRow out, int64_t count,
             const Dropout& dropout = {}, uint64_t first_element = 0);

}  // namespace ropewalk
