#pragma once

#include <span>
#include <string_view>

namespace ropewalk {

enum class ParameterKind { number, boolean, list };

// One key of a rope block that a scaling reads, by its name in Hugging Face's configs.
struct ScalingParameter {
  std::string_view key;
  ParameterKind kind = ParameterKind::number;
  bool required = false;         // without it the scaling cannot be computed
  std::string_view alias = {};   // another name of the same key
  std::string_view absent = {};  // what holds without it, in words
};

// What a rope_type reads of RopeConfig::parameters and RopeConfig::lists, beside rope_theta and
// rotary_dim.
struct ScalingParameters {
  std::string_view rope_type;
  std::string_view alias = {};  // another name of the type: "su" of longrope
  std::span<const ScalingParameter> parameters;
};

// Every rope_type, in the order of the documentation.
std::span<const ScalingParameters> all_scaling_parameters();

// By name or alias; null for a type that is not known.
const ScalingParameters* scaling_parameters(std::string_view rope_type);

}  // namespace ropewalk
