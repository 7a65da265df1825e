#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

// inv_freq_i = 1 / rope_theta^(2i/d). Worked number: rope_theta 10000, d 4 gives [1, 0.01].
ScaledFrequencies make(const RopeConfig& config, int64_t) {
  return {.inv_freq = default_inv_freq(config.rope_theta, config.rotary_dim)};
}

}  // namespace

constinit const Scaling scaling::unscaled{
    .parameters = {}, .make = make, .traits = {.scales = false}};

}  // namespace ropewalk
