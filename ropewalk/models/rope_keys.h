#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/rope_rule.h"
#include "ropewalk/dialects/stated_model.h"

namespace ropewalk {

// The rotation of one kind of layer: what the file says of it and what holds without.
struct RopeKeys {
  double rope_theta = 0;
  std::string rope_type = "default";
  std::map<std::string, double> parameters;          // as in RopeConfig
  std::map<std::string, std::vector<double>> lists;  // as in RopeConfig
  Said<double> query_beta, query_length;             // as in StatedRope
  std::vector<int64_t> mrope_section;
  std::optional<bool> mrope_interleaved;
  // For the family to use or to refuse; no evidence yet.
  std::optional<double> partial_rotary_factor;
  std::string fraction_source;
};

// Nothing: this kind of layer does not rotate. Throws malformed for a parameter that the scaling
// needs and the file has not.
std::optional<RopeKeys> resolve_rope(const StatedRope& stated, const RopeRule& rule,
                                     ModelEncoding& model);

// The same of a config.json.
std::optional<RopeKeys> read_rope_keys(ConfigReader& config, const RopeRule& rule);

// Warns when every pair turns at the same speed.
void check_rope_theta(ModelEncoding& model, double rope_theta);
inline void check_rope_theta(ConfigReader& config, double rope_theta) {
  check_rope_theta(config.findings(), rope_theta);
}

}  // namespace ropewalk
