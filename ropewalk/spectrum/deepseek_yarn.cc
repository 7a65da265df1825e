#include <cmath>

#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/yarn_family.h"

namespace ropewalk {
namespace {

// YaRN with a second correction, kept apart from that of cos and sin: where mscale_all_dim is not 0
//   softmax_scale = head_dim^-0.5 g(factor, mscale_all_dim)^2
// with head_dim the whole head, rotated or not.
// Worked number: DeepSeek-V2-Lite (head_dim 192, factor 40, both mscales 0.707) has
// attention_scaling 1 and softmax_scale 0.072169 x 1.589626 = 0.114721.
// Source: transformers modeling_deepseek_v3.py, yarn_apply_mscale.
ScaledFrequencies make(const RopeConfig& config, int64_t) {
  ScaledFrequencies scaled = yarn_frequencies(config);
  const double all_dim = parameter(config, kMscaleAllDim);
  if (all_dim != 0) {
    const double mscale = yarn_mscale(yarn_factor(config), all_dim);
    scaled.softmax_scale =
        std::pow(static_cast<double>(config.layout.head_dim), -0.5) * mscale * mscale;
  }
  return scaled;
}

}  // namespace

constinit const Scaling scaling::deepseek_yarn{.parameters = kYarnParameters, .make = make};

}  // namespace ropewalk
