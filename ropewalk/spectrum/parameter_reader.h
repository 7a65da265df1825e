#pragma once

#include <optional>
#include <vector>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/spectrum/scaling_parameters.h"

// The values of a config's parameters. Each throws invalid_argument, naming the rope_type, the key,
// what was expected and what was found, for a value that breaks the parameter's rule.
namespace ropewalk {

// Nothing where the config has no such key.
std::optional<double> find_parameter(const RopeConfig& config, const ScalingParameter& parameter);

// The fallback where the config has no such key; throws where there is none.
double parameter(const RopeConfig& config, const ScalingParameter& parameter);

// The length that the model was first trained for: original_max_position_embeddings, else
// max_position_embeddings, as standardize_rope_params of transformers has it.
double original_max_position_embeddings(const RopeConfig& config);

// A list of rotary_dim/2 numbers, one for each pair, as float32; empty where the config has no such
// key and the parameter is not required.
std::vector<float> parameter_per_pair(const RopeConfig& config, const ScalingParameter& parameter);

}  // namespace ropewalk
