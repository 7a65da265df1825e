#include "ropewalk/spectrum/yarn_family.h"

namespace ropewalk {
namespace {

// The formula is that of yarn_frequencies.
ScaledFrequencies make(const RopeConfig& config, int64_t) { return yarn_frequencies(config); }

}  // namespace

constinit const Scaling scaling::yarn{
    .parameters = kYarnParameters, .make = make, .traits = kYarnTraits};

}  // namespace ropewalk
