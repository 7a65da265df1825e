#include "ropewalk/spectrum/yarn_family.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"

namespace ropewalk {
namespace {

double unless_zero(double value, const ScalingParameter& parameter) {
  return value == 0 ? *parameter.fallback : value;
}

struct Ramp {
  double low, high;
};

[[noreturn]] void refuse(const RopeConfig& config, const std::string& what) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rope_type \"{}\": {}", escaped(config.rope_type), what));
}

Ramp correction_range(const RopeConfig& config) {
  const auto [fast, slow] = yarn_betas(config);
  if (config.rope_theta <= 1) {
    refuse(config, fmt::format("rope_theta: expected more than 1, found {}", config.rope_theta));
  }
  const double original = original_max_position_embeddings(config);
  const auto dim = static_cast<double>(config.rotary_dim);
  const auto correction_dim = [&](double rotations) {
    return dim * std::log(original / (rotations * 2 * std::numbers::pi)) /
           (2 * std::log(config.rope_theta));
  };
  Ramp ramp{correction_dim(fast), correction_dim(slow)};
  if (parameter(config, kTruncate) != 0) ramp = {std::floor(ramp.low), std::ceil(ramp.high)};
  ramp = {std::max(ramp.low, 0.0), std::min(ramp.high, dim - 1)};
  if (ramp.low == ramp.high) ramp.high += 0.001;
  return ramp;
}

double attention_factor(const RopeConfig& config, double factor, double slope) {
  if (const auto given = find_parameter(config, kAttentionFactor)) return *given;
  const double mscale = parameter(config, kMscale);
  const double all_dim = parameter(config, kMscaleAllDim);
  const double derived = mscale != 0 && all_dim != 0 ? yarn_mscale(factor, mscale, slope) /
                                                           yarn_mscale(factor, all_dim, slope)
                                                     : yarn_mscale(factor, 1, slope);
  return derived * parameter(config, kAttnFactor);
}

}  // namespace

double yarn_mscale(double factor, double coefficient, double slope) {
  return factor <= 1 ? 1.0 : slope * coefficient * std::log(factor) + 1.0;
}

double yarn_factor(const RopeConfig& config) {
  if (const auto factor = find_parameter(config, kYarnFactor)) return *factor;
  return parameter(config, kMaxPositionEmbeddings) / original_max_position_embeddings(config);
}

YarnBetas yarn_betas(const RopeConfig& config) {
  const YarnBetas betas{unless_zero(parameter(config, kBetaFast), kBetaFast),
                        unless_zero(parameter(config, kBetaSlow), kBetaSlow)};
  if (betas.fast < betas.slow) {
    refuse(config, fmt::format("beta_fast: expected at least beta_slow {}, found {}", betas.slow,
                               betas.fast));
  }
  return betas;
}

ScaledFrequencies yarn_frequencies(const RopeConfig& config, double slope) {
  const double factor = yarn_factor(config);
  const Ramp range = correction_range(config);
  const auto low = static_cast<float>(range.low);
  const auto width = static_cast<float>(range.high - range.low);
  const auto extrapolation = static_cast<float>(parameter(config, kExtrapolationFactor));
  ScaledFrequencies scaled{
      .inv_freq = powers(config.rope_theta, config.rotary_dim, config.rotary_dim / 2),
      .attention_scaling = attention_factor(config, factor, slope)};
  for (size_t i = 0; i < scaled.inv_freq.size(); ++i) {
    const float power = scaled.inv_freq[i];
    const float ramp = std::clamp((static_cast<float>(i) - low) / width, 0.0f, 1.0f);
    const float kept = (1.0f - ramp) * extrapolation;
    scaled.inv_freq[i] =
        1.0f / (static_cast<float>(factor) * power) * (1.0f - kept) + 1.0f / power * kept;
  }
  return scaled;
}

}  // namespace ropewalk
