#include <cmath>

#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {

// inv_freq_i = 1 / base^(2i/d), each operation rounded to float32 in this order, as the models' own
// code does it (transformers modeling_rope_utils.py, _compute_default_rope_parameters). float32 pow
// is taken as the double result rounded once.
Spectrum scaling::default_spectrum(const RopeConfig& config, int64_t) {
  Spectrum spectrum;
  const auto base = static_cast<float>(config.rope_theta);
  const auto dim = static_cast<float>(config.rotary_dim);
  for (int64_t i = 0; i < config.rotary_dim / 2; ++i) {
    const float exponent = static_cast<float>(2 * i) / dim;
    const auto power = static_cast<float>(std::pow(double{base}, double{exponent}));
    spectrum.inv_freq.push_back(1.0f / power);
  }
  return spectrum;
}

}  // namespace ropewalk
