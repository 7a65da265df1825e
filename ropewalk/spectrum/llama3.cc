#include <numbers>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr ScalingParameter kLowFreqFactor{.key = "low_freq_factor", .rule = kPositive};
constexpr ScalingParameter kHighFreqFactor{.key = "high_freq_factor", .rule = kPositive};
constexpr ScalingParameter kParameters[] = {kFactor, kLowFreqFactor, kHighFreqFactor,
                                            kOriginalMaxPositionEmbeddings, kMaxPositionEmbeddings};

struct Bands {
  float factor, low, width, original, longest_kept, shortest_scaled;
};

Bands read_bands(const RopeConfig& config) {
  const double low = parameter(config, kLowFreqFactor);
  const double high = parameter(config, kHighFreqFactor);
  const double original = original_max_position_embeddings(config);
  if (high < low) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rope_type \"{}\": high_freq_factor: expected at least "
                            "low_freq_factor {}, found {}",
                            escaped(config.rope_type), low, high));
  }
  return {static_cast<float>(parameter(config, kFactor)),
          static_cast<float>(low),
          static_cast<float>(high - low),
          static_cast<float>(original),
          static_cast<float>(original / high),
          static_cast<float>(original / low)};
}

float scaled_inv_freq(float inv_freq, const Bands& bands) {
  // torch divides a number by a tensor as the number times the reciprocal.
  const float wavelength = 1.0f / inv_freq * static_cast<float>(2 * std::numbers::pi);
  if (wavelength > bands.shortest_scaled) return inv_freq / bands.factor;
  if (wavelength < bands.longest_kept || bands.width == 0) return inv_freq;
  const float smooth = (1.0f / wavelength * bands.original - bands.low) / bands.width;
  return (1.0f - smooth) * inv_freq / bands.factor + smooth * inv_freq;
}

// Llama 3.1, with o = original_max_position_embeddings and the wavelength w_i = 2 pi / inv_freq_i
// of the unscaled frequency:
//   w_i > o / low_freq_factor:  inv_freq_i / factor
//   w_i < o / high_freq_factor: inv_freq_i
//   else: t = (o / w_i - low_freq_factor) / (high_freq_factor - low_freq_factor),
//         (1 - t) inv_freq_i / factor + t inv_freq_i
// Where the two are equal (Llama-4-Scout) there is no third band.
// Worked number: rope_theta 500000, d 128, factor 8, low 1, high 4, o 8192: pair 29 is 2.166571e-3.
// Source: transformers modeling_rope_utils.py, _compute_llama3_parameters, all float32.
ScaledFrequencies make(const RopeConfig& config, int64_t) {
  const Bands bands = read_bands(config);
  ScaledFrequencies scaled{.inv_freq = default_inv_freq(config.rope_theta, config.rotary_dim)};
  for (float& inv_freq : scaled.inv_freq) inv_freq = scaled_inv_freq(inv_freq, bands);
  return scaled;
}

}  // namespace

constinit const Scaling scaling::llama3{.parameters = kParameters, .make = make};

}  // namespace ropewalk
