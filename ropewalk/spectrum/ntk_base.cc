#include "ropewalk/spectrum/ntk_base.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {

double ntk_base(const RopeConfig& config, double alpha) {
  if (config.rotary_dim < 4) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rope_type \"{}\": rotary_dim: expected at least 4, found {}",
                            escaped(config.rope_type), config.rotary_dim));
  }
  const auto dim = static_cast<double>(config.rotary_dim);
  return config.rope_theta * std::pow(alpha, dim / (dim - 2));
}

void check_base(const RopeConfig& config, double base) {
  if (base > 0 && base <= std::numeric_limits<float>::max()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rope_type \"{}\": the base it makes: expected a positive number that "
                          "float32 holds, found {}",
                          escaped(config.rope_type), base));
}

}  // namespace ropewalk
