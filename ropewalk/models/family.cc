#include "ropewalk/models/family.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/nearest_name.h"

namespace ropewalk {
namespace {

#define ROPEWALK_FAMILY(name) &family::name,
constexpr const Family* kFamilies[] = {
#include "ropewalk/models/models.inc"
};
#undef ROPEWALK_FAMILY

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string_view> known_model_types() {
  std::vector<std::string_view> types;
  for (const Family* family : all_families()) {
    types.insert(types.end(), family->model_types.begin(), family->model_types.end());
  }
  return types;
}

// "; its keys suggest llama (rope_theta, num_key_value_heads)" or nothing.
std::string suggestion_of_keys(const ConfigReader& config) {
  std::vector<std::string> suggestions;
  for (const Family* family : all_families()) {
    std::vector<std::string_view> keys;
    for (const std::string_view key : family->telltale_keys) {
      if (config.has(key)) keys.push_back(key);
    }
    if (keys.empty()) continue;
    suggestions.push_back(fmt::format("{} ({})", family->name, fmt::join(keys, ", ")));
  }
  if (suggestions.empty()) return "";
  return fmt::format("; its keys suggest {}", fmt::join(suggestions, " or "));
}

// A model of text and pictures keeps the part that reads text in an object of its own.
std::string suggestion_of_text_config(const ConfigReader& config) {
  const auto& json = config.json();
  const auto part = json.find("text_config");
  if (part == json.end() || !part->is_object()) return "";
  const auto type = part->find("model_type");
  if (type == part->end() || !type->is_string()) return "";
  return fmt::format("; {} is a \"{}\"", config.pointer_to("text_config"),
                     escaped(type->get<std::string>()));
}

// A file without model_type may still name its class. Never its shape alone: that would be a guess.
const Family* family_of_architecture(ConfigReader& config) {
  const auto& json = config.json();
  const auto list = json.find("architectures");
  if (list == json.end() || !list->is_array() || list->empty()) return nullptr;
  const auto& first = list->front();
  if (!first.is_string()) return nullptr;
  const std::string architecture = first.get<std::string>();
  for (const Family* family : all_families()) {
    if (!contains(family->architectures, architecture)) continue;
    config.note("family", std::string(family->name), config.source("architectures") + "/0");
    config.warn(fmt::format("there is no {}; the family is told by {}/0, \"{}\"",
                            config.pointer_to("model_type"), config.pointer_to("architectures"),
                            escaped(architecture)));
    return family;
  }
  return nullptr;
}

}  // namespace

std::span<const Family* const> all_families() { return kFamilies; }

const Family& find_family(ConfigReader& config) {
  const std::optional<std::string> type = config.find_text("model_type");
  if (type) {
    for (const Family* family : all_families()) {
      if (!contains(family->model_types, *type)) continue;
      config.note("family", std::string(family->name), config.source("model_type"));
      return *family;
    }
  } else if (const Family* family = family_of_architecture(config)) {
    return *family;
  }
  const std::vector<std::string_view> types = known_model_types();
  const std::string found = type ? fmt::format("\"{}\"", escaped(*type)) : "no such key";
  config.refuse(type ? ErrorCode::unsupported : ErrorCode::malformed, "model_type",
                fmt::format("expected one of {}, found {}{}{}{}", fmt::join(types, ", "), found,
                            type ? did_you_mean(*type, types) : "", suggestion_of_keys(config),
                            suggestion_of_text_config(config)));
}

}  // namespace ropewalk
