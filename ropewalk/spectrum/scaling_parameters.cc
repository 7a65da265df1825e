#include "ropewalk/spectrum/scaling_parameters.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr size_t kMaxAliases = 4;

struct NamedScaling {
  std::string_view name;
  const Scaling& scaling;
  std::array<std::string_view, kMaxAliases> aliases;  // the last ones empty
};

constexpr NamedScaling kScalings[] = {
#define ROPEWALK_SCALING(name, object, ...) {name, scaling::object, {__VA_ARGS__}},
#include "ropewalk/spectrum/scalings.inc"
#undef ROPEWALK_SCALING
};

// What other software has under this key and no Spectrum says.
struct OtherScaling {
  std::string_view name, why;
};
constexpr OtherScaling kOthers[] = {
    {"fope", "its frequencies are mixed by learned coefficients, weights of the checkpoint"},
    {"openpangu", "its axes of positions are laid out in an order that ropewalk has not checked"},
    {"bailing_mrope",
     "its axes of positions are laid out in an order that ropewalk has not checked"},
    {"mllama4", "it is the rotation of Llama 4's vision tower, a part of that model"},
    {"xpos", "it is the default rotation, and apply_xpos multiplies q and k by their positions"},
};

const NamedScaling& find(std::string_view name) {
  for (const NamedScaling& named : kScalings) {
    if (name.empty()) break;  // as an unused place for an alias is
    if (named.name == name || std::ranges::count(named.aliases, name) > 0) return named;
  }
  const auto other = std::ranges::find(kOthers, name, &OtherScaling::name);
  throw Error(ErrorCode::unsupported, fmt::format("rope_type: expected one of {}, found \"{}\"{}{}",
                                                  fmt::join(rope_types(), ", "), escaped(name),
                                                  other == std::end(kOthers) ? "" : ": ",
                                                  other == std::end(kOthers) ? "" : other->why));
}

}  // namespace

constinit const ScalingParameter kFreqFactors{.key = "freq_factors",
                                              .rule = kPositive,
                                              .kind = ParameterKind::list,
                                              .derived = "1 for each pair"};

std::vector<std::string_view> rope_types() {
  std::vector<std::string_view> names;
  for (const NamedScaling& named : kScalings) names.push_back(named.name);
  return names;
}

std::vector<RopeTypeAlias> rope_type_aliases() {
  std::vector<RopeTypeAlias> aliases;
  for (const NamedScaling& named : kScalings) {
    for (std::string_view alias : named.aliases) {
      if (!alias.empty()) aliases.push_back({alias, named.name});
    }
  }
  return aliases;
}

std::string_view canonical_rope_type(std::string_view name) { return find(name).name; }

const Scaling& find_scaling(std::string_view rope_type) { return find(rope_type).scaling; }

std::span<const ScalingParameter> scaling_parameters(std::string_view rope_type) {
  return find(rope_type).scaling.parameters;
}

const ScalingTraits& scaling_traits(std::string_view rope_type) {
  return find(rope_type).scaling.traits;
}

bool reads_parameter(std::string_view rope_type, std::string_view key) {
  return std::ranges::count(scaling_parameters(rope_type), key, &ScalingParameter::key) > 0;
}

}  // namespace ropewalk
