#include "ropewalk/dialects/rope_freqs.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ropewalk {
namespace {

constexpr double kTolerance = 0x1p-16;
// What the converter writes for a pair that stands still.
constexpr double kStill = 1e30;

struct Bands {
  double factor, high, original;  // low_freq_factor is 1
};

double divisor(double wavelength, const Bands& bands) {
  if (wavelength < bands.original / bands.high) return 1;
  if (wavelength > bands.original || bands.high == 1) return bands.factor;
  const double t = (bands.original / wavelength - 1) / (bands.high - 1);
  return 1 / ((1 - t) / bands.factor + t);
}

bool is_of(std::span<const double> rope_freqs, double rope_theta, const Bands& bands) {
  for (size_t i = 0; i < rope_freqs.size(); ++i) {
    const double exponent = static_cast<double>(i) / static_cast<double>(rope_freqs.size());
    const double wavelength = 2 * std::numbers::pi * std::pow(rope_theta, exponent);
    const double expected = divisor(wavelength, bands);
    if (std::abs(rope_freqs[i] - expected) > kTolerance * expected) return false;
  }
  return true;
}

std::optional<Bands> find_bands(std::span<const double> rope_freqs, double rope_theta) {
  // From the most usual on, because without a pair between the bands several have these numbers.
  for (const double high : {4.0, 1.0, 2.0, 8.0, 16.0, 32.0}) {
    for (const int exponent : {13, 12, 14, 15, 16, 17, 18, 11, 10, 9, 8, 19, 20}) {
      const Bands bands{rope_freqs.back(), high, std::ldexp(1.0, exponent)};
      if (is_of(rope_freqs, rope_theta, bands)) return bands;
    }
  }
  return std::nullopt;
}

std::optional<KnownScaling> llama3(std::span<const double> rope_freqs, double rope_theta) {
  const std::optional<Bands> bands = find_bands(rope_freqs, rope_theta);
  if (!bands) return std::nullopt;
  return KnownScaling{"llama3",
                      {{"factor", bands->factor},
                       {"low_freq_factor", 1.0},
                       {"high_freq_factor", bands->high},
                       {"original_max_position_embeddings", bands->original}}};
}

std::optional<KnownScaling> proportional(std::span<const double> rope_freqs) {
  const auto first_still =
      std::find_if(rope_freqs.begin(), rope_freqs.end(), [](double value) { return value != 1; });
  const bool rest_is_still = std::all_of(first_still, rope_freqs.end(), [](double value) {
    return std::abs(value - kStill) <= kTolerance * kStill;
  });
  if (!rest_is_still) return std::nullopt;
  const auto turning = static_cast<double>(first_still - rope_freqs.begin());
  return KnownScaling{
      "proportional",
      {{"partial_rotary_factor", turning / static_cast<double>(rope_freqs.size())}}};
}

}  // namespace

std::optional<KnownScaling> scaling_of_rope_freqs(std::span<const double> rope_freqs,
                                                  double rope_theta) {
  if (rope_freqs.empty()) return std::nullopt;
  if (std::all_of(rope_freqs.begin(), rope_freqs.end(), [](double value) { return value == 1; })) {
    return KnownScaling{"default"};
  }
  if (auto scaling = proportional(rope_freqs)) return scaling;
  return llama3(rope_freqs, rope_theta);
}

}  // namespace ropewalk
