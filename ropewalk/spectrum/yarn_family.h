#pragma once

#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/scalings.h"

// YaRN and its relatives, which differ in the factors of cos, sin and the scores.
namespace ropewalk {

inline constexpr ScalingParameter kYarnFactor{
    .key = "factor",
    .rule = kPositive,
    .derived = "max_position_embeddings / original_max_position_embeddings"};
inline constexpr ScalingParameter kBetaFast{
    .key = "beta_fast", .rule = kNotNegative, .fallback = 32};
inline constexpr ScalingParameter kBetaSlow{
    .key = "beta_slow", .rule = kNotNegative, .fallback = 1};
inline constexpr ScalingParameter kTruncate{
    .key = "truncate", .rule = kFlag, .kind = ParameterKind::boolean, .fallback = 1};
inline constexpr ScalingParameter kExtrapolationFactor{
    .key = "extrapolation_factor", .rule = kNotNegative, .fallback = 1};
inline constexpr ScalingParameter kAttentionFactor{
    .key = "attention_factor", .rule = kAmplitude, .derived = "from factor and the mscales"};
inline constexpr ScalingParameter kAttnFactor{
    .key = "attn_factor", .rule = kAmplitude, .fallback = 1};
inline constexpr ScalingParameter kMscale{.key = "mscale", .rule = kNotNegative, .fallback = 0};
inline constexpr ScalingParameter kMscaleAllDim{
    .key = "mscale_all_dim", .rule = kNotNegative, .fallback = 0};
inline constexpr ScalingParameter kYarnParameters[] = {
    kYarnFactor,  kOriginalMaxPositionEmbeddings, kMaxPositionEmbeddings, kBetaFast,   kBetaSlow,
    kTruncate,    kExtrapolationFactor,           kAttentionFactor,       kAttnFactor, kMscale,
    kMscaleAllDim};

inline constexpr ScalingTraits kYarnTraits{.yarn = true, .factor_is_growth = true};

// g(s, k) = 1 for s <= 1, else slope k ln(s) + 1.
// Worked number: s 40, k 0.707, slope 0.1 gives 1.260804.
double yarn_mscale(double factor, double coefficient, double slope = 0.1);

// `factor` where it is given, else max_position_embeddings / original_max_position_embeddings.
double yarn_factor(const RopeConfig& config);

// beta_fast and beta_slow; throws invalid_argument when they are in the wrong order.
struct YarnBetas {
  double fast, slow;
};
YarnBetas yarn_betas(const RopeConfig& config);

// YaRN (Peng et al. 2023), with s = factor and o = original_max_position_embeddings:
//   cd(r) = d ln(o / (2 pi r)) / (2 ln rope_theta)        the pair that turns r times within o
//   low = max(floor(cd(beta_fast)), 0), high = min(ceil(cd(beta_slow)), d - 1); no floor and ceil
//   where truncate is 0; a beta that is 0 counts as absent
//   m_i = (1 - clamp((i - low) / (high - low), 0, 1)) extrapolation_factor
//   inv_freq_i = (1 - m_i) / (s rope_theta^(2i/d)) + m_i / rope_theta^(2i/d)
//   attention_scaling = attention_factor, else attn_factor times g(s, mscale) / g(s,
//   mscale_all_dim) where neither is 0, else attn_factor g(s, 1)
// Worked number: DeepSeek-V3 (d 64, o 4096, s 40, rope_theta 10000) has low 10 and high 23.
// cd is float64 and the rest float32, as in transformers modeling_rope_utils.py,
// _compute_yarn_parameters; extrapolation_factor and attn_factor are vLLM's (yarn_scaling_rope.py).
ScaledFrequencies yarn_frequencies(const RopeConfig& config, double slope = 0.1);

}  // namespace ropewalk
