#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What a scaling does to each pair, beside rope_type default with the same base, one character a
// pair: = kept, ~ on the ramp, . slowed the most; and which pairs never complete a turn within the
// context (0: not known). Empty for a config that scales nothing.
std::string scaling_bands(const RopeConfig& config, int64_t seq_len, int64_t context);

// What often goes wrong with such a file: a factor that disagrees with the two lengths, a base that
// is stated nowhere.
std::vector<std::string> known_traps(const ModelEncoding& model);

}  // namespace ropewalk
