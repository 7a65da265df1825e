#include <cmath>

#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr ScalingParameter kShortFactor{
    .key = "short_factor", .rule = kPositive, .kind = ParameterKind::list};
constexpr ScalingParameter kLongFactor{
    .key = "long_factor", .rule = kPositive, .kind = ParameterKind::list};
constexpr ScalingParameter kRatio{
    .key = "factor",
    .rule = kPositive,
    .derived = "max_position_embeddings / original_max_position_embeddings"};
constexpr ScalingParameter kAttentionFactor{
    .key = "attention_factor", .rule = kAmplitude, .derived = "from factor"};
constexpr ScalingParameter kShortMscale{
    .key = "short_mscale", .rule = kAmplitude, .derived = "attention_factor"};
constexpr ScalingParameter kLongMscale{
    .key = "long_mscale", .rule = kAmplitude, .derived = "attention_factor"};
constexpr ScalingParameter kParameters[] = {
    kShortFactor,           kLongFactor,      kRatio,       kOriginalMaxPositionEmbeddings,
    kMaxPositionEmbeddings, kAttentionFactor, kShortMscale, kLongMscale};

double attention_factor(const RopeConfig& config, double original) {
  if (const auto given = find_parameter(config, kAttentionFactor)) return *given;
  const auto ratio = find_parameter(config, kRatio);
  const double factor = ratio ? *ratio : parameter(config, kMaxPositionEmbeddings) / original;
  return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
}

// LongRoPE (Ding et al. 2024; Phi-3), with o = original_max_position_embeddings:
//   inv_freq_i = 1 / (e_i rope_theta^(2i/d)), e = long_factor if seq_len > o else short_factor
//   attention_scaling = long_mscale or short_mscale where there is one (Phi-3.5-MoE), else
//   attention_factor, else sqrt(1 + ln(factor) / ln(o)), 1 for factor <= 1
// Worked number: factor 32 and o 4096 give 1.190238.
// seq_len is the length of the whole sequence, prompt and cache: a sequence that grows past o needs
// the spectrum made again and its cached keys turned anew.
// Source: transformers modeling_rope_utils.py, _compute_longrope_parameters; for the mscales
// modeling_phimoe.py, which in transformers 5.24 takes long_mscale but always short_factor: we take
// long_factor with it, as vLLM does (phi3_long_rope_scaled_rope.py).
ScaledFrequencies make(const RopeConfig& config, int64_t seq_len) {
  const double original = original_max_position_embeddings(config);
  const bool is_long = static_cast<double>(seq_len) > original;
  const std::vector<float> short_factors = parameter_per_pair(config, kShortFactor);
  const std::vector<float> long_factors = parameter_per_pair(config, kLongFactor);
  const auto mscale = find_parameter(config, is_long ? kLongMscale : kShortMscale);
  ScaledFrequencies scaled{
      .inv_freq = powers(config.rope_theta, config.rotary_dim, config.rotary_dim / 2),
      .attention_scaling = mscale ? *mscale : attention_factor(config, original)};
  for (size_t i = 0; i < scaled.inv_freq.size(); ++i) {
    scaled.inv_freq[i] = 1.0f / ((is_long ? long_factors : short_factors)[i] * scaled.inv_freq[i]);
  }
  return scaled;
}

}  // namespace

constinit const Scaling scaling::longrope{
    .parameters = kParameters, .make = make, .traits = {.factor_is_growth = true}};

}  // namespace ropewalk
