#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "ropewalk/conventions/model_type.h"

namespace ropewalk {

// The object of a config.json that states the rotation of the layers, the file itself or that of
// its text, and the row of its type.
struct TextObject {
  nlohmann::ordered_json* object;
  std::string pointer;  // "" or "/text_config"
  const ModelType* type;
};

// `json` must outlive the result. Throws as find_model_type.
TextObject find_text(nlohmann::ordered_json& json, const std::string& name,
                     std::string_view assume);

// What was put into a config.
struct Replaced {
  std::string key, theta_key;  // at the top of the object; "": nothing
  std::string rope_type;       // "": the block says none
  std::optional<double> rope_theta;
  size_t blocks = 0;  // how many kinds of layers have the block
};

// Puts the keys of a rope block where the config has its own, as load_model_with says. Throws
// invalid_argument for a key that the rope_type does not read.
Replaced replace_block(const TextObject& text, nlohmann::ordered_json given, int64_t max_positions);

}  // namespace ropewalk
