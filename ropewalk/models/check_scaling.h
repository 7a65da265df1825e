#pragma once

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// Refuses what no single key shows, naming the block: bands in the wrong order, lists of another
// length, sections that do not interleave. All that make_spectrum would refuse.
void check_scaling(const ConfigReader& config, const RopeConfig& rope);

}  // namespace ropewalk
