#include <cmath>

#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/ntk_base.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr ScalingParameter kMixedB{
    .key = "mixed_b", .rule = kPositive, .derived = "every pair has the same base"};
constexpr ScalingParameter kParameters[] = {kFactor, kMixedB};

// exp(a (i + 1)^b), a = ln(factor) / (d/2)^b: what pair i is divided by.
float mixed_divisor(const RopeConfig& config, double factor, double b, size_t i) {
  const auto pairs = static_cast<double>(config.rotary_dim) / 2;
  const auto logarithm = static_cast<float>(std::log(double{static_cast<float>(factor)}));
  const float a = logarithm / static_cast<float>(std::pow(pairs, b));
  const double exponent = double{static_cast<float>(b)};
  const auto power = static_cast<float>(std::pow(static_cast<double>(i + 1), exponent));
  return static_cast<float>(std::exp(double{a * power}));
}

// NTK-aware scaling that is fixed, as GTE v1.5 has it:
//   without mixed_b: inv_freq_i = 1 / (rope_theta factor)^(2i/d) / factor^(2/d)
//   with mixed_b:    inv_freq_i = 1 / rope_theta^(2i/d) / exp(a (i + 1)^mixed_b),
//                    a = ln(factor) / (d/2)^mixed_b
// The slowest pair is divided by factor in both. Worked number: rope_theta 10000, d 4, factor 4
// gives [0.5, 0.0025].
// Source: https://kexue.fm/archives/9706; Alibaba-NLP/new-impl modeling.py and vLLM
// ntk_scaling_rope.py, NTKScalingRotaryEmbedding; each operation float32.
ScaledFrequencies make(const RopeConfig& config, int64_t) {
  const double factor = parameter(config, kFactor);
  const auto mixed_b = find_parameter(config, kMixedB);
  const double base = config.rope_theta * (mixed_b ? 1 : factor);
  check_base(config, base);
  ScaledFrequencies scaled{.inv_freq = default_inv_freq(base, config.rotary_dim)};
  const auto shared =
      static_cast<float>(std::pow(factor, 2 / static_cast<double>(config.rotary_dim)));
  for (size_t i = 0; i < scaled.inv_freq.size(); ++i) {
    scaled.inv_freq[i] /= mixed_b ? mixed_divisor(config, factor, *mixed_b, i) : shared;
  }
  return scaled;
}

}  // namespace

constinit const Scaling scaling::ntk{.parameters = kParameters, .make = make};

}  // namespace ropewalk
