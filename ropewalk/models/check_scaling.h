#pragma once

#include <string>

#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// Refuses what no single key shows, naming the block: bands in the wrong order, lists of another
// length, sections that do not interleave: all that make_spectrum would refuse, and a pair that a
// factor beyond float32 has stopped.
void check_scaling(const std::string& source, const RopeConfig& rope);
void check_scaling(const ConfigReader& config, const RopeConfig& rope);

}  // namespace ropewalk
