#pragma once

#include <string_view>

#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// Throws unsupported: the positions of the model are a table that was learned, and is not in its
// config.json.
[[noreturn]] void refuse_learned_positions(const ConfigReader& config, std::string_view model_type,
                                           std::string_view key);

}  // namespace ropewalk
