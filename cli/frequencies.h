#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/report/shown.h"

namespace ropewalk::cli {

// What frequencies_in_words says, as JSON, every pair.
nlohmann::ordered_json frequencies_json(const ModelEncoding& model, const Shown& shown);

}  // namespace ropewalk::cli
