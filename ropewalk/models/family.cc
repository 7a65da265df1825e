#include "ropewalk/models/family.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "ropewalk/base/nearest_name.h"
#include "ropewalk/conventions/other_names.h"
#include "ropewalk/models/parts.h"
#include "ropewalk/models/row_reader.h"

namespace ropewalk {
namespace {

constexpr size_t kMostNames = 3;

// "; its keys suggest llama (rope_theta, num_key_value_heads)" or nothing.
std::string suggestion_of_keys(const ConfigReader& config) {
  struct Suggestion {
    std::string_view family;
    std::vector<std::string_view> keys;
  };
  std::vector<Suggestion> suggestions;
  for (const Family* family : all_families()) {
    Suggestion suggestion{family->name, {}};
    for (const std::string_view key : family->telltale_keys) {
      if (config.has(key)) suggestion.keys.push_back(key);
    }
    if (!suggestion.keys.empty()) suggestions.push_back(std::move(suggestion));
  }
  std::stable_sort(suggestions.begin(), suggestions.end(),
                   [](const auto& a, const auto& b) { return a.keys.size() > b.keys.size(); });
  std::vector<std::string> words;
  for (const Suggestion& suggestion : suggestions) {
    if (words.size() == kMostNames) break;
    words.push_back(fmt::format("{} ({})", suggestion.family, fmt::join(suggestion.keys, ", ")));
  }
  return words.empty() ? "" : fmt::format("; its keys suggest {}", fmt::join(words, " or "));
}

// A model of several parts of an unknown type may have a part of a known one.
std::string suggestion_of_part(const ConfigReader& config) {
  const auto& json = config.json();
  for (const char* key : {"text_config", "llm_config", "language_config", "thinker_config"}) {
    const auto part = json.find(key);
    if (part == json.end() || !part->is_object()) continue;
    const auto type = part->find("model_type");
    if (type == part->end() || !type->is_string()) continue;
    return fmt::format("; {} is a \"{}\"", config.pointer_to(key),
                       escaped(type->get<std::string>()));
  }
  return "";
}

// "; near it are \"mistral\", \"ministral\"" or nothing.
std::string nearest(const std::string& word) {
  struct Near {
    size_t distance;
    std::string_view name;
  };
  if (word.size() > 64) return "";
  std::vector<Near> near;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      const bool same_start = word.size() >= 4 && type.name.substr(0, 4) == word.substr(0, 4);
      const size_t distance = edit_distance(word, type.name);
      if (distance <= std::max<size_t>(2, word.size() / 3) || same_start) {
        near.push_back({distance, type.name});
      }
    }
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const Near& a, const Near& b) { return a.distance < b.distance; });
  std::vector<std::string> names;
  for (const Near& candidate : near) {
    const std::string quoted = fmt::format("\"{}\"", candidate.name);
    if (names.size() == kMostNames) break;
    if (std::find(names.begin(), names.end(), quoted) == names.end()) names.push_back(quoted);
  }
  return names.empty() ? ""
                       : fmt::format("; near it {} {}", names.size() == 1 ? "is" : "are",
                                     fmt::join(names, ", "));
}

// The type whose class /architectures/0 names.
KnownType named_by_architecture(const ConfigReader& config) {
  const auto& json = config.json();
  const auto list = json.find("architectures");
  if (list == json.end() || !list->is_array() || list->empty()) return {};
  const auto& first = list->front();
  if (!first.is_string() || first.get<std::string>().empty()) return {};
  const std::string architecture = first.get<std::string>();
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (type.architecture == architecture || type.other_architecture == architecture) {
        return {family, &type};
      }
    }
  }
  const std::string_view other = type_of_other_name(other_architectures(), architecture);
  return other.empty() ? KnownType{} : find_model_type(other);
}

// A file without a model_type, or with one that is not known, may still name its class. Never its
// shape alone: that would be a guess.
KnownType type_of_architecture(ConfigReader& config, const std::optional<std::string>& stated) {
  const KnownType known = named_by_architecture(config);
  if (known.type == nullptr) return {};
  const std::string key = config.pointer_to("model_type");
  config.note("family", std::string(known.family->name), config.source("architectures") + "/0");
  config.warn(fmt::format("{}; the family is told by {}/0, \"{}\"",
                          stated ? fmt::format("{} \"{}\" is not known", key, escaped(*stated))
                                 : fmt::format("there is no {}", key),
                          config.pointer_to("architectures"),
                          config.json()["architectures"].front().get<std::string>()));
  return known;
}

// A file whose text is described by an object of it, where no type's line says so.
constexpr ModelType kOfParts{.name = "a model of parts", .part = "text_config"};

// Some programs write the type of a part at the top of a file that has parts: the class that the
// file names, else the text's own type, says more.
KnownType not_that_of_a_part(ConfigReader& config, const KnownType& known) {
  const auto text = config.json().find("text_config");
  if (config.is_part() || !known.type->part.empty() || text == config.json().end() ||
      !text->is_object() || !text->contains("model_type")) {
    return known;
  }
  config.warn(fmt::format("{} is \"{}\", which has no parts: {} is read",
                          config.pointer_to("model_type"), known.type->name,
                          config.pointer_to("text_config")));
  const KnownType named = named_by_architecture(config);
  if (named.type != nullptr && named.type->part == "text_config") return named;
  return {known.family, &kOfParts};
}

// A type of one part.
void read_whole(ConfigReader& config, ModelEncoding& model, const KnownType& known) {
  const ModelType& type = *known.type;
  model.model_type = type.name;
  read_row(config, model, type);
  add_parts(config, model, type.parts);
  config.warn_unread_position_keys(known.family->name);
}

}  // namespace

KnownType known_type(std::string_view name) {
  const KnownType known = find_model_type(name);
  if (known.type != nullptr) return known;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("expected a model_type that ropewalk models lists, found \"{}\"{}",
                          escaped(name), nearest(std::string(name))));
}

KnownType find_model_type(ConfigReader& config) {
  // diffusers names a class in the place of a type.
  const std::string_view key =
      !config.has("model_type") && config.has("_class_name") ? "_class_name" : "model_type";
  const std::optional<std::string> type = config.find_text(key);
  const KnownType known = type ? find_model_type(*type) : KnownType{};
  if (known.type != nullptr) {
    config.note("family", std::string(known.family->name), config.source(key));
    if (*type != known.type->name) {
      config.note(
          "model_type", std::string(known.type->name),
          fmt::format("{}: \"{}\" is another name of it", config.source(key), escaped(*type)));
    } else if (*type != known.family->name) {
      config.note("model_type", *type, config.source(key));
    }
    return not_that_of_a_part(config, known);
  }
  const KnownType of_class = type_of_architecture(config, type);
  if (of_class.type != nullptr) return not_that_of_a_part(config, of_class);
  const std::string found = type ? fmt::format("\"{}\"", escaped(*type)) : "no such key";
  config.refuse(
      type ? ErrorCode::unsupported : ErrorCode::malformed, key,
      fmt::format("expected one that ropewalk models lists, found {}{}{}{}{}", found,
                  type ? nearest(*type) : "", suggestion_of_keys(config),
                  suggestion_of_part(config), type ? "; --assume TYPE reads it as another" : ""));
}

void read_model_type(ConfigReader& config, ModelEncoding& model, const KnownType& known) {
  const ModelType& type = *known.type;
  model.family = known.family->name;
  if (type.part.empty()) {
    config.know_as(type.aliases);
    return read_whole(config, model, known);
  }
  std::optional<ConfigReader> part = config.find_object(type.part);
  if (!part) {
    // Written before transformers 4.52, with the keys of the text at the top.
    config.note("part", "the file itself", "there is no " + config.pointer_to(type.part));
    read_model_type(config, model, find_model_type(type.part_type));
  } else {
    const KnownType stated = part->has("model_type") ? find_model_type(*part) : KnownType{};
    if (stated.type == nullptr) {
      config.note("part", std::string(type.part_type),
                  fmt::format("default of {}", type.config_class));
    }
    if (stated.type == known.type) {
      part->refuse(ErrorCode::malformed, "model_type",
                   fmt::format("expected the type of a part, found \"{}\" again", type.name));
    }
    read_model_type(*part, model,
                    stated.type != nullptr ? stated : find_model_type(type.part_type));
  }
  add_parts(config, model, type.parts);
}

}  // namespace ropewalk
