#pragma once

#include <string_view>

namespace ropewalk {

// What is true of a rope_type, for those who would otherwise compare its name: only spectrum/ knows
// the names. The file of each rope_type sets its own.
struct ScalingTraits {
  bool scales = true;             // false: the frequencies are those of rope_theta
  bool one_factor = false;        // each is divided by `factor`, as if each position were
  bool yarn = false;              // YaRN, whatever it makes of cos, sin and the scores
  bool may_stand_still = false;   // pairs may have the frequency 0
  bool factor_is_growth = false;  // `factor` says how many times original_max_position_embeddings
                                  // a context is
};

// Each takes a rope_type or an alias, and throws unsupported, listing what there is, for one that
// is not known.
const ScalingTraits& scaling_traits(std::string_view rope_type);
inline bool is_scaled(std::string_view rope_type) { return scaling_traits(rope_type).scales; }

// Whether the key is one of scaling_parameters: "short_factor" of longrope alone,
// "partial_rotary_factor" of proportional alone.
bool reads_parameter(std::string_view rope_type, std::string_view key);

}  // namespace ropewalk
