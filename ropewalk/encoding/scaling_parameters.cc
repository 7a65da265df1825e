#include "ropewalk/encoding/scaling_parameters.h"

namespace ropewalk {
namespace {

constexpr auto kList = ParameterKind::list;
constexpr auto kBoolean = ParameterKind::boolean;

constexpr ScalingParameter kLinear[] = {
    {.key = "factor", .required = true},
};
constexpr ScalingParameter kNtk[] = {
    {.key = "factor", .required = true},
    {.key = "mixed_b", .absent = "one factor for every pair"},
};
constexpr ScalingParameter kDynamic[] = {
    {.key = "factor", .absent = "with alpha it is not read"},
    {.key = "alpha", .absent = "the base grows with the sequence"},
    {.key = "max_position_embeddings", .absent = "with alpha it is not read"},
};
constexpr ScalingParameter kYarn[] = {
    {.key = "factor", .absent = "max_position_embeddings / original_max_position_embeddings"},
    {.key = "original_max_position_embeddings", .absent = "max_position_embeddings"},
    {.key = "max_position_embeddings", .absent = "read only where another key is absent"},
    {.key = "beta_fast", .absent = "32"},
    {.key = "beta_slow", .absent = "1"},
    {.key = "truncate", .kind = kBoolean, .absent = "true"},
    {.key = "attention_factor", .absent = "from mscale, or 0.1 ln(factor) + 1"},
    {.key = "mscale", .absent = "1"},
    {.key = "mscale_all_dim", .absent = "0"},
};
constexpr ScalingParameter kLongrope[] = {
    {.key = "short_factor", .kind = kList, .required = true},
    {.key = "long_factor", .kind = kList, .required = true},
    {.key = "factor", .absent = "max_position_embeddings / original_max_position_embeddings"},
    {.key = "original_max_position_embeddings", .absent = "max_position_embeddings"},
    {.key = "max_position_embeddings", .absent = "read only where another key is absent"},
    {.key = "attention_factor", .absent = "sqrt(1 + ln(factor) / ln(original))"},
    {.key = "short_mscale", .absent = "attention_factor"},
    {.key = "long_mscale", .absent = "attention_factor"},
};
constexpr ScalingParameter kLlama3[] = {
    {.key = "factor", .required = true},
    {.key = "low_freq_factor", .required = true},
    {.key = "high_freq_factor", .required = true},
    {.key = "original_max_position_embeddings", .absent = "max_position_embeddings"},
};
constexpr ScalingParameter kProportional[] = {
    {.key = "partial_rotary_factor", .absent = "1"},
    {.key = "factor", .absent = "1"},
};
constexpr ScalingParameter kXdrope[] = {
    {.key = "alpha", .required = true},
};

constexpr ScalingParameters kAll[] = {
    {"default", "", {}},     {"linear", "", kLinear},
    {"ntk", "", kNtk},       {"dynamic", "", kDynamic},
    {"yarn", "", kYarn},     {"longrope", "su", kLongrope},
    {"llama3", "", kLlama3}, {"proportional", "", kProportional},
    {"xdrope", "", kXdrope},
};

}  // namespace

std::span<const ScalingParameters> all_scaling_parameters() { return kAll; }

const ScalingParameters* scaling_parameters(std::string_view rope_type) {
  for (const ScalingParameters& known : kAll) {
    if (known.rope_type == rope_type) return &known;
    if (!known.alias.empty() && known.alias == rope_type) return &known;
  }
  return nullptr;
}

}  // namespace ropewalk
