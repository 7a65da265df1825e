#include "ropewalk/diagnose/rotation_decay.h"

#include <cmath>
#include <numbers>

#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {

std::vector<double> rotation_decay(const RopeConfig& rope, std::span<const int64_t> distances,
                                   int64_t seq_len) {
  const Spectrum spectrum = make_spectrum(rope, seq_len);
  const auto pairs = static_cast<double>(spectrum.inv_freq.size());
  const double scale = spectrum.attention_scaling * spectrum.attention_scaling;
  const double rest = static_cast<double>(rope.layout.head_dim) / 2 - pairs;
  std::vector<double> left;
  for (const int64_t distance : distances) {
    double sum = 0;
    for (const double inv_freq : spectrum.inv_freq) {
      sum +=
          std::cos(std::remainder(static_cast<double>(distance) * inv_freq, 2 * std::numbers::pi));
    }
    left.push_back((scale * sum + rest) / (scale * pairs + rest));
  }
  return left;
}

}  // namespace ropewalk
