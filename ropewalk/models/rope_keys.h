#pragma once

#include <limits>
#include <optional>
#include <string>

#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// What the rope keys of a Hugging Face config say.
struct RopeKeys {
  double rope_theta = 0;
  std::string rope_type = "default";
  std::optional<double>
      partial_rotary_factor;  // for the family to use or to refuse; no evidence yet
};

// Reads both ways of writing them:
//   transformers 4: rope_theta at the top, rope_scaling null, {} or {"rope_type" (old: "type"),
//   ...} transformers 5: rope_parameters {"rope_type", "rope_theta", ...}
// Every place that states rope_theta must state the same. Throws unsupported naming a scaling other
// than "default", malformed for names of the type that disagree. A key of a block that was not used
// becomes a warning.
// Source: standardize_rope_params of transformers' modeling_rope_utils.py.
RopeKeys read_rope_keys(ConfigReader& config, const Default<double>& default_theta);

// A base below 1 would make the frequencies grow.
inline constexpr NumberRule kRopeTheta{
    "a number of at least 1 that float32 holds",
    [](double value) { return value >= 1 && value <= std::numeric_limits<float>::max(); }};

// Warns when every pair turns at the same speed.
void check_rope_theta(ConfigReader& config, double rope_theta);

}  // namespace ropewalk
