#pragma once

#include <cstdint>
#include <string>

#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/diagnose/traps.h"

namespace ropewalk {

// One character a pair: = kept, ~ between, . slowed the most.
std::string band_letters(const ScalingBands& bands);

// What a scaling does to each pair, in lines; nothing for one that does nothing. `context` as in
// scaling_bands.
std::string in_words(const ScalingBands& bands, const RopeConfig& rope, int64_t context);

// One line about a model of this type.
std::string in_words(const Trap& trap, const std::string& model_type);

}  // namespace ropewalk
