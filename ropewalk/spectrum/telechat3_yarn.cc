#include "ropewalk/spectrum/yarn_family.h"

namespace ropewalk {
namespace {

// YaRN with g(s, k) = 0.07 k ln(s) + 1. Worked number: factor 40 has attention_scaling 1.258222.
// Source: vLLM telechat3_scaling_rope.py.
ScaledFrequencies make(const RopeConfig& config, int64_t) { return yarn_frequencies(config, 0.07); }

}  // namespace

constinit const Scaling scaling::telechat3_yarn{
    .parameters = kYarnParameters, .make = make, .traits = kYarnTraits};

}  // namespace ropewalk
