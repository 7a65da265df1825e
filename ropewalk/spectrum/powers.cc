#include "ropewalk/spectrum/powers.h"

#include <cmath>

namespace ropewalk {

std::vector<float> powers(double base, int64_t dim, int64_t count) {
  const auto float_base = static_cast<float>(base);
  const auto float_dim = static_cast<float>(dim);
  std::vector<float> result;
  for (int64_t i = 0; i < count; ++i) {
    const float exponent = static_cast<float>(2 * i) / float_dim;
    result.push_back(static_cast<float>(std::pow(double{float_base}, double{exponent})));
  }
  return result;
}

std::vector<float> default_inv_freq(double base, int64_t dim) {
  std::vector<float> inv_freq = powers(base, dim, dim / 2);
  for (float& value : inv_freq) value = 1.0f / value;
  return inv_freq;
}

}  // namespace ropewalk
