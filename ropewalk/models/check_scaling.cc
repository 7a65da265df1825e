#include "ropewalk/models/check_scaling.h"

#include <fmt/format.h>

#include "ropewalk/spectrum/scaling_traits.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

// By a factor that no float32 holds.
void check_frequencies(const RopeConfig& rope) {
  const Spectrum spectrum = make_spectrum(rope);
  if (scaling_traits(rope.rope_type).may_stand_still) return;
  for (size_t i = 0; i < spectrum.inv_freq.size(); ++i) {
    if (spectrum.inv_freq[i] != 0) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rope_type \"{}\": expected a frequency above 0 for each pair, found "
                            "0 for pair {}",
                            rope.rope_type, i));
  }
}

}  // namespace

void check_scaling(const std::string& source, const RopeConfig& rope) {
  try {
    check_frequencies(rope);
  } catch (const Error& error) {
    refuse(ErrorCode::malformed, source, error.what());
  }
}

void check_scaling(const ConfigReader& config, const RopeConfig& rope) {
  const auto key = config.first_of({"rope_scaling", "rope_parameters", "rope_theta"});
  check_scaling(config.source(key.value_or("model_type")), rope);
}

}  // namespace ropewalk
