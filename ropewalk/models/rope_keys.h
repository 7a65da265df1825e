#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// What holds where a file says nothing about the rotation of one kind of layer.
struct RopeRule {
  Default<double> rope_theta;
  std::string_view theta_key = "rope_theta";  // where transformers 4 states it
  bool top_theta_first = false;               // there it counts before the block's (DeepSeek-V4)
  std::string_view theta_alias = {};          // another name; "a/b" is in an object
  std::string_view fraction_alias = {};       // another name of partial_rotary_factor
  std::string_view kind = {};                 // "full_attention"; empty: all layers are alike
  bool windowed = false;                      // of layers with a window
  bool takes_rope_scaling = true;   // false: a flat block speaks for other kinds of layers only
  bool several_axes = false;        // mrope_section is read
  std::string_view yarn_type = {};  // what rope_type yarn means here; empty: itself
  bool reads_alpha = false;         // HunYuan: dynamic with alpha is a fixed base
  std::span<const std::string_view> facts = {};  // keys of the block that the code uses on q or k
  // Without a block, a scaling dynamic by the first key, from the length of the second (Nomic).
  std::string_view dynamic_factor = {}, dynamic_length = {};
  std::string_view rope_parameters = {};  // JSON of the block that holds when the file has none
  int64_t max_positions = 0;              // max_position_embeddings, for the scalings that need it
};

// What the rope keys of a config say for one kind of layer.
struct RopeKeys {
  double rope_theta = 0;
  std::string rope_type = "default";
  std::map<std::string, double> parameters;          // as in RopeConfig
  std::map<std::string, std::vector<double>> lists;  // as in RopeConfig
  std::map<std::string, double, std::less<>> facts;  // of the block, by RopeRule::facts
  std::vector<int64_t> mrope_section;
  std::optional<bool> mrope_interleaved;
  // For the family to use or to refuse; no evidence yet.
  std::optional<double> partial_rotary_factor;
  std::string fraction_source;
};

// Reads every way of writing them:
//   transformers 4: rope_theta at the top, rope_scaling null, {} or {"rope_type" (old: "type"),
//   ...} transformers 5: rope_parameters {"rope_type", "rope_theta", ...}, or one such object for
//   each kind of layer, where null means no rotation
// Nothing: the file says that this kind of layer does not rotate.
// Every place that states rope_theta must state the same. Throws unsupported naming a rope_type
// that is not known, malformed for names of the type that disagree or a parameter that is missing.
// A key of a block that was not used becomes a warning.
// Source: standardize_rope_params of transformers' modeling_rope_utils.py.
std::optional<RopeKeys> read_rope_keys(ConfigReader& config, const RopeRule& rule);

// A base below 1 would make the frequencies grow.
inline constexpr NumberRule kRopeTheta{
    "a number of at least 1 that float32 holds",
    [](double value) { return value >= 1 && value <= std::numeric_limits<float>::max(); }};

// Warns when every pair turns at the same speed.
void check_rope_theta(ConfigReader& config, double rope_theta);

}  // namespace ropewalk
