#include <algorithm>
#include <cmath>

#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/ntk_base.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr ScalingParameter kGrowth{
    .key = "factor", .rule = kPositive, .derived = "not read where there is alpha"};
constexpr ScalingParameter kAlpha{
    .key = "alpha", .rule = kPositive, .derived = "the base follows the length of the sequence"};
constexpr ScalingParameter kParameters[] = {kGrowth, kMaxPositionEmbeddings, kAlpha};

// The base once the sequence is longer than the model was made for. transformers has the length as
// a tensor there: each operation is float32, the exponent float64.
double grown_base(const RopeConfig& config, double factor, float length, float trained) {
  const float ratio =
      static_cast<float>(factor) * length / trained - static_cast<float>(factor - 1);
  const auto dim = static_cast<double>(config.rotary_dim);
  const auto power = static_cast<float>(std::pow(double{ratio}, dim / (dim - 2)));
  return static_cast<float>(config.rope_theta) * power;
}

// NTK by the length of the sequence:
//   L = max(seq_len, max_position_embeddings) =: max(seq_len, M)
//   base = rope_theta (factor L / M - (factor - 1))^(d/(d-2)),  inv_freq_i = 1 / base^(2i/d)
// so that nothing changes up to M. With `alpha` it is fixed, the length does not matter, and the
// other two are not read: base = rope_theta alpha^(d/(d-2)).
// Worked number: rope_theta 10000, d 128, factor 2, M 2048, seq_len 4096: base 30527.7.
// The keys in a cache were turned with the base of their own length: make the spectrum again for
// each length and turn un-rotated keys, or choose one length.
// Source: transformers modeling_rope_utils.py, _compute_dynamic_ntk_parameters, and for alpha
// modeling_hunyuan_v1_dense.py, compute_ntk_alpha_rope_parameters.
ScaledFrequencies make(const RopeConfig& config, int64_t seq_len) {
  double base = ntk_base(config, 1);
  if (const std::optional<double> alpha = find_parameter(config, kAlpha)) {
    base = ntk_base(config, *alpha);
  } else {
    const double factor = parameter(config, kGrowth);
    const double trained = parameter(config, kMaxPositionEmbeddings);
    const auto length = static_cast<double>(seq_len);
    if (length > trained) {
      base = grown_base(config, factor, static_cast<float>(length), static_cast<float>(trained));
    }
  }
  check_base(config, base);
  return {.inv_freq = default_inv_freq(base, config.rotary_dim)};
}

}  // namespace

constinit const Scaling scaling::dynamic{.parameters = kParameters, .make = make};

}  // namespace ropewalk
