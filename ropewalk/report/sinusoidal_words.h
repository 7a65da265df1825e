#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/diagnose/diagnose_sinusoidal.h"

namespace ropewalk {

// "channels are sin, cos in turn, not ...; and the base is 1000, not 10000"
std::string in_words(const SinusoidalDiagnosis& diagnosis);

// What mends it.
std::string what_to_change(const SinusoidalDiagnosis& diagnosis);

// "all sines, then all cosines, base 10000^(-i / (d/2 - 1)), positions from 2 on"
std::string in_words(const SinusoidalForm& form);

// "row 1 (position 1), channel 3: expected 0.5403, found 1"
std::string in_words(const FirstWrongChannel& first);

// {"verdict": ..., "residual_in_ulp": ..., "causes": [...], "in_words": ..., "change": ...}
nlohmann::ordered_json to_json(const SinusoidalDiagnosis& diagnosis);

}  // namespace ropewalk
