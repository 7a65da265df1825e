#include "ropewalk/kernels/add/add.h"

#include "ropewalk/base/random.h"

namespace ropewalk {

void add_row(ConstFloatRow x, ConstFloatRow addend, FloatRow out, int64_t count) {
  if (x.stride == 1 && addend.stride == 1 && out.stride == 1 && addend.data != nullptr) {
    // Its own loop, so that the compiler vectorises it.
    for (int64_t c = 0; c < count; ++c) out.data[c] = x.data[c] + addend.data[c];
    return;
  }
  for (int64_t c = 0; c < count; ++c) {
    const float value = x.data[c * x.stride];
    out.data[c * out.stride] =
        addend.data == nullptr ? value : value + addend.data[c * addend.stride];
  }
}

void add_row_with_dropout(ConstFloatRow x, ConstFloatRow addend, FloatRow out, int64_t count,
                          const Dropout& dropout, uint64_t first_element) {
  // A probability of 1 keeps nothing: the factor is never used.
  const float factor =
      dropout.probability < 1 ? static_cast<float>(1 / (1 - dropout.probability)) : 0;
  add_row(x, addend, out, count);
  for (int64_t c = 0; c < count; ++c) {
    float& value = out.data[c * out.stride];
    const bool kept =
        uniform_at(dropout.seed, first_element + static_cast<uint64_t>(c)) >= dropout.probability;
    value = kept ? value * factor : 0;
  }
}

}  // namespace ropewalk
