#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What the params.json that comes with the weights in Meta's, Mistral's or DeepSeek's own format
// says about positions. Throws malformed or unsupported naming file and key.
ModelEncoding read_params_json(const nlohmann::ordered_json& json, const std::string& label);

}  // namespace ropewalk
