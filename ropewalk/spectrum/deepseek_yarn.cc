#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/yarn_family.h"

namespace ropewalk {
namespace {

// YaRN with a second correction, kept apart from that of cos and sin: where mscale_all_dim is not 0
//   softmax_factor = g(factor, mscale_all_dim)^2
// Worked number: DeepSeek-V2-Lite (factor 40, both mscales 0.707) has attention_scaling 1 and a
// factor of 1.589626; with a head_dim of 192 the softmax scale is 0.072169 x 1.589626 = 0.114721.
// Source: transformers modeling_deepseek_v3.py, yarn_apply_mscale.
ScaledFrequencies make(const RopeConfig& config, int64_t) { return yarn_frequencies(config); }

double softmax_factor(const RopeConfig& config) {
  const double all_dim = parameter(config, kMscaleAllDim);
  if (all_dim == 0) return 1;
  const double mscale = yarn_mscale(yarn_factor(config), all_dim);
  return mscale * mscale;
}

}  // namespace

constinit const Scaling scaling::deepseek_yarn{.parameters = kYarnParameters,
                                               .make = make,
                                               .softmax_factor = softmax_factor,
                                               .traits = kYarnTraits};

}  // namespace ropewalk
