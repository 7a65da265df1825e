#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/diagnose/compare.h"

namespace ropewalk {

// The fields in which two values differ that to_json wrote: those of an object one by one behind
// `field` ("qk_norm.eps"), of a long list the first that differs ("long_factor[3]").
void add_differences(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                     Difference::Level level, const std::string& field,
                     std::vector<Difference>& differences);

// The same for two ways to know positions, `part` before each field. Scaling parameters are fields
// of their own, and a layout is one: "half_split at 0..63 of 128".
void add_differences(const PositionEncoding& a, const PositionEncoding& b, const std::string& part,
                     std::vector<Difference>& differences);

// Whether two numbers are the same but for the rounding of a float32.
bool same_number(double a, double b);

}  // namespace ropewalk
