#include "ropewalk/spectrum/ggml_rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/ntk_base.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"
#include "ropewalk/spectrum/yarn_family.h"

namespace ropewalk {
namespace {

constexpr ScalingParameter kAlpha{.key = "alpha", .rule = kPositive, .derived = "not fixed"};

float power(float base, float exponent) {
  return static_cast<float>(std::pow(double{base}, double{exponent}));
}

float logarithm(float value) { return static_cast<float>(std::log(double{value})); }

// ggml_rope_yarn_corr_dim, in float32.
float correction_dim(const RopeConfig& config, double rotations) {
  const auto original = static_cast<float>(original_max_position_embeddings(config));
  const float turns = static_cast<float>(rotations) * 2 * std::numbers::pi_v<float>;
  return static_cast<float>(config.rotary_dim) * logarithm(original / turns) /
         (2 * logarithm(static_cast<float>(config.rope_theta)));
}

void set_yarn(const RopeConfig& config, GgmlRope& rope) {
  rope.freq_scale = 1.0f / static_cast<float>(yarn_factor(config));
  rope.ext_factor = static_cast<float>(parameter(config, kExtrapolationFactor));
  const YarnBetas betas = yarn_betas(config);
  rope.corr_low = std::max(0.0f, std::floor(correction_dim(config, betas.fast)));
  rope.corr_high = std::min(static_cast<float>(config.rotary_dim - 1),
                            std::ceil(correction_dim(config, betas.slow)));
}

// The unscaled frequency over the scaled one: 1 where they agree; 1e30, as the converter writes it,
// where the pair stands still.
std::vector<float> divisors(const RopeConfig& config, int64_t seq_len) {
  const std::vector<float> scaled = find_scaling(config.rope_type).make(config, seq_len).inv_freq;
  std::vector<float> result = default_inv_freq(config.rope_theta, config.rotary_dim);
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = scaled[i] == 0 ? 1e30f : result[i] / scaled[i];
  }
  return result;
}

bool has_fixed_base(const RopeConfig& config, std::string_view type) {
  return type == "xdrope" || (type == "dynamic" && find_parameter(config, kAlpha));
}

}  // namespace

GgmlRope ggml_rope(const RopeConfig& config, int64_t seq_len) {
  const std::string_view type = canonical_rope_type(config.rope_type);
  GgmlRope rope;
  double base = config.rope_theta;
  if (type == "linear") {
    rope.freq_scale = 1.0f / static_cast<float>(parameter(config, kFactor));
  } else if (type == "yarn" || type == "deepseek_yarn" || type == "telechat3-yarn") {
    set_yarn(config, rope);
  } else if (type == "longrope" || type == "llama3" || type == "proportional") {
    rope.freq_factors = divisors(config, seq_len);
  } else if (has_fixed_base(config, type)) {
    base = ntk_base(config, parameter(config, kAlpha));
  } else if (type != "default") {
    throw Error(ErrorCode::unsupported,
                fmt::format("rope_type \"{}\": llama.cpp has no such scaling", type));
  }
  const std::vector<float> given = parameter_per_pair(config, kFreqFactors);
  if (rope.freq_factors.empty()) rope.freq_factors.assign(given.size(), 1.0f);
  for (size_t i = 0; i < given.size(); ++i) rope.freq_factors[i] *= given[i];
  rope.theta_scale = power(static_cast<float>(base), -2.0f / static_cast<float>(config.rotary_dim));
  return rope;
}

void ggml_angles(const GgmlRope& rope, float position, std::span<float> angles) {
  float theta = position;
  const float width = std::max(0.001f, rope.corr_high - rope.corr_low);
  for (size_t i = 0; i < angles.size(); ++i) {
    const float extrapolated = theta / (rope.freq_factors.empty() ? 1.0f : rope.freq_factors[i]);
    const float interpolated = rope.freq_scale * extrapolated;
    angles[i] = interpolated;
    if (rope.ext_factor != 0) {
      const float y = (static_cast<float>(i) - rope.corr_low) / width;
      const float mix = (1 - std::min(1.0f, std::max(0.0f, y))) * rope.ext_factor;
      angles[i] = interpolated * (1 - mix) + extrapolated * mix;
    }
    theta *= rope.theta_scale;
  }
}

}  // namespace ropewalk
