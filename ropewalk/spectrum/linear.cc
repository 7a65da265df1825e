#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr ScalingParameter kParameters[] = {kFactor};

// Position interpolation: inv_freq_i = (1 / rope_theta^(2i/d)) / factor, both float32.
// Worked number: rope_theta 10000, d 4, factor 8 gives [0.125, 0.00125].
// Source: Chen et al. 2023; transformers modeling_rope_utils.py,
// _compute_linear_scaling_rope_parameters.
ScaledFrequencies make(const RopeConfig& config, int64_t) {
  const auto factor = static_cast<float>(parameter(config, kFactor));
  ScaledFrequencies scaled{.inv_freq = default_inv_freq(config.rope_theta, config.rotary_dim)};
  for (float& inv_freq : scaled.inv_freq) inv_freq /= factor;
  return scaled;
}

}  // namespace

constinit const Scaling scaling::linear{
    .parameters = kParameters, .make = make, .traits = {.one_factor = true}};

}  // namespace ropewalk
