#include "ropewalk/models/check_scaling.h"

#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {

void check_scaling(const ConfigReader& config, const RopeConfig& rope) {
  try {
    make_spectrum(rope);
  } catch (const Error& error) {
    const auto key = config.first_of({"rope_scaling", "rope_parameters", "rope_theta"});
    config.refuse(ErrorCode::malformed, key.value_or("model_type"), error.what());
  }
}

}  // namespace ropewalk
