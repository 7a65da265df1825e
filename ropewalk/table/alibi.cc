#include "ropewalk/table/alibi.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

constexpr int64_t kMaxHeads = int64_t{1} << 20;

void check(const AlibiConfig& config) {
  if (config.heads < 1 || config.heads > kMaxHeads) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("alibi heads: expected 1..{}, found {}", kMaxHeads, config.heads));
  }
  if (!std::isfinite(config.max_bias) || config.max_bias <= 0) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("alibi max_bias: expected a positive number, found {}", config.max_bias));
  }
}

}  // namespace

std::vector<float> alibi_slopes(const AlibiConfig& config) {
  check(config);
  const auto power_of_two =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(config.heads)));
  std::vector<float> slopes;
  slopes.reserve(static_cast<size_t>(config.heads));
  // Both runs are powers of 2^(-max_bias / 2n): the first takes the even exponents, the second
  // fills in the odd ones. The division comes last so that it is exact for every max_bias that is
  // an integer.
  const auto add = [&](int64_t half_steps) {
    const double exponent =
        -config.max_bias * static_cast<double>(half_steps) / static_cast<double>(2 * power_of_two);
    slopes.push_back(static_cast<float>(std::exp2(exponent)));
  };
  for (int64_t h = 1; h <= power_of_two; ++h) add(2 * h);
  for (int64_t j = 1; j <= config.heads - power_of_two; ++j) add(2 * j - 1);
  return slopes;
}

}  // namespace ropewalk
