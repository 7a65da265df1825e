#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ropewalk/models/models.h"
#include "ropewalk/models/presets.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {

// A preset's config, to be changed and read again.
inline nlohmann::ordered_json config_of(std::string_view preset) {
  for (const Preset& known : presets()) {
    if (known.name == preset) return nlohmann::ordered_json::parse(known.config);
  }
  throw std::logic_error("no preset " + std::string(preset));
}

// The same with one key set to a JSON text.
inline nlohmann::ordered_json config_with(std::string_view preset, std::string_view key,
                                          std::string_view value) {
  nlohmann::ordered_json config = config_of(preset);
  config[std::string(key)] = nlohmann::ordered_json::parse(value);
  return config;
}

inline nlohmann::ordered_json config_without(std::string_view preset, std::string_view key) {
  nlohmann::ordered_json config = config_of(preset);
  config.erase(std::string(key));
  return config;
}

// A small model of a type, its heads 128 channels wide, with these keys besides.
inline nlohmann::ordered_json small_config(std::string_view model_type,
                                           std::string_view keys = "{}") {
  nlohmann::ordered_json config = {{"model_type", model_type},
                                   {"hidden_size", 512},
                                   {"num_attention_heads", 4},
                                   {"num_key_value_heads", 4},
                                   {"num_hidden_layers", 8}};
  config.update(nlohmann::ordered_json::parse(keys));
  return config;
}

inline ModelEncoding read(const nlohmann::ordered_json& config) {
  return read_model_config(config.dump(), "config.json");
}

// What is computed with: everything but the words about where it came from.
inline ModelEncoding without_words(ModelEncoding model) {
  model.name.clear();
  model.evidence.clear();
  model.warnings.clear();
  model.states_base = true;
  return model;
}

// The source of the first fact about a field, "" when there is none.
inline std::string source_of(const ModelEncoding& model, std::string_view field) {
  for (const Evidence& fact : model.evidence) {
    if (fact.field == field) return fact.source;
  }
  return "";
}
inline std::string value_of(const ModelEncoding& model, std::string_view field) {
  for (const Evidence& fact : model.evidence) {
    if (fact.field == field) return fact.value;
  }
  return "";
}

inline const RopeConfig& rope_of(const ModelEncoding& model) {
  return std::get<RopeConfig>(model.layers.at(0).positions);
}

}  // namespace ropewalk
