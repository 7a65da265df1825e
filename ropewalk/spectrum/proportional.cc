#include <cmath>

#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr ParameterRule kFraction{"a number in 0..1",
                                  [](double value) { return value >= 0 && value <= 1; }};
constexpr ScalingParameter kPartialRotaryFactor{
    .key = "partial_rotary_factor", .rule = kFraction, .fallback = 1};
constexpr ScalingParameter kDivisor{.key = "factor", .rule = kPositive, .fallback = 1};
constexpr ScalingParameter kParameters[] = {kPartialRotaryFactor, kDivisor};

// Proportional RoPE (Gemma 4's full-attention layers): the fastest pairs of the whole head turn,
// the rest stand still.
//   k = floor(partial_rotary_factor d / 2)
//   inv_freq_i = 1 / rope_theta^(2i/d) / factor for i < k, else 0
// d is rotary_dim, which here is the whole head. Worked number: rope_theta 10000, d 8,
// partial_rotary_factor 0.5 gives [1, 0.1, 0, 0].
// Source: transformers modeling_rope_utils.py, _compute_proportional_rope_parameters.
ScaledFrequencies make(const RopeConfig& config, int64_t) {
  const auto factor = static_cast<float>(parameter(config, kDivisor));
  const double fraction = parameter(config, kPartialRotaryFactor);
  const double turning = std::floor(fraction * static_cast<double>(config.rotary_dim) / 2);
  ScaledFrequencies scaled{.inv_freq = default_inv_freq(config.rope_theta, config.rotary_dim)};
  for (size_t i = 0; i < scaled.inv_freq.size(); ++i) {
    scaled.inv_freq[i] = static_cast<double>(i) < turning ? scaled.inv_freq[i] / factor : 0;
  }
  return scaled;
}

}  // namespace

constinit const Scaling scaling::proportional{
    .parameters = kParameters, .make = make, .traits = {.may_stand_still = true}};

}  // namespace ropewalk
