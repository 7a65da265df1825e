#include "ropewalk/dialects/config_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/dialects/notes.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

// An integer, also one that Python wrote as a float (1e6, 4096.0).
std::optional<int64_t> as_integer(const ordered_json& value) {
  if (value.is_number_unsigned()) {
    if (value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
    return value.get<int64_t>();
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (std::trunc(number) != number || std::abs(number) > 0x1p53) return std::nullopt;
  return static_cast<int64_t>(number);
}

// Keys by which some model's file says something about positions, so that one which the family at
// hand does not read is worth a word.
constexpr std::array<std::string_view, 26> kPositionKeys = {"rope_theta",
                                                            "rope_scaling",
                                                            "rope_parameters",
                                                            "rope_type",
                                                            "rope_ratio",
                                                            "rope_pct",
                                                            "rotary_pct",
                                                            "rotary_percent",
                                                            "rotary_dim",
                                                            "rotary_emb_base",
                                                            "rotary_emb_fraction",
                                                            "partial_rotary_factor",
                                                            "original_rope",
                                                            "position_encoding_2d",
                                                            "position_embedding_type",
                                                            "alibi",
                                                            "use_alibi",
                                                            "head_dim",
                                                            "kv_channels",
                                                            "num_key_value_heads",
                                                            "multi_query_group_num",
                                                            "use_dynamic_ntk",
                                                            "use_logn_attn",
                                                            "no_rope_layers",
                                                            "model_max_length",
                                                            "original_max_position_embeddings"};

}  // namespace

std::string in_words(const IntegerRule& rule) {
  std::string kind = "an integer";
  if (rule.multiple_of == 2) kind = "an even number";
  if (rule.multiple_of > 2) kind = fmt::format("a multiple of {}", rule.multiple_of);
  return fmt::format("{} in {}..{}", kind, rule.least, rule.most);
}

std::string described(const ordered_json& value) {
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  return escaped(value.dump());
}

ConfigReader::ConfigReader(const ordered_json& object, std::string label, std::string pointer,
                           ModelEncoding& findings)
    : object_(&object),
      label_(std::move(label)),
      pointer_(std::move(pointer)),
      findings_(&findings) {}

std::string_view ConfigReader::name_of(std::string_view key) const {
  if (aliases_.empty()) return key;  // without a search: the object may be large
  const auto there = [&](std::string_view name) {
    const auto found = object_->find(std::string(name));
    return found != object_->end() && !found->is_null();
  };
  if (there(key)) return key;
  for (const KeyAlias& other : aliases_) {
    if (other.key == key && there(other.alias)) return other.alias;
  }
  return key;
}

const ordered_json* ConfigReader::entry(std::string_view key) const {
  const auto found = object_->find(std::string(name_of(key)));
  return found == object_->end() ? nullptr : &*found;
}

const ordered_json* ConfigReader::find(std::string_view key) {
  read_.emplace(name_of(key));
  read_.emplace(key);
  const ordered_json* found = entry(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool ConfigReader::has(std::string_view key) const {
  const ordered_json* found = entry(key);
  return found != nullptr && !found->is_null();
}

bool ConfigReader::is_null(std::string_view key) const {
  const ordered_json* found = entry(key);
  return found != nullptr && found->is_null();
}

std::optional<std::string_view> ConfigReader::first_of(
    std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    if (has(key)) return key;
  }
  return std::nullopt;
}

std::optional<int64_t> ConfigReader::find_integer(std::string_view key, const IntegerRule& rule) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<int64_t> number = as_integer(*value);
  if (!number || *number < rule.least || *number > rule.most || *number % rule.multiple_of != 0) {
    refuse(ErrorCode::malformed, key,
           fmt::format("expected {}, found {}", in_words(rule), described(*value)));
  }
  return number;
}

std::optional<double> ConfigReader::find_number(std::string_view key, const NumberRule& rule) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !rule.holds(value->get<double>())) {
    refuse(ErrorCode::malformed, key,
           fmt::format("expected {}, found {}", rule.expected, described(*value)));
  }
  return value->get<double>();
}

std::optional<bool> ConfigReader::find_boolean(std::string_view key) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) {
    refuse(ErrorCode::malformed, key,
           fmt::format("expected true or false, found {}", described(*value)));
  }
  return value->get<bool>();
}

std::optional<std::string> ConfigReader::find_text(std::string_view key) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    refuse(ErrorCode::malformed, key,
           fmt::format("expected a string, found {}", described(*value)));
  }
  return value->get<std::string>();
}

std::optional<ConfigReader> ConfigReader::find_object(std::string_view key) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) {
    refuse(ErrorCode::malformed, key,
           fmt::format("expected an object or null, found {}", described(*value)));
  }
  return ConfigReader(*value, label_, pointer_to(key), *findings_);
}

const ordered_json* ConfigReader::find_list(std::string_view key) {
  const ordered_json* value = find(key);
  if (value == nullptr) return nullptr;
  constexpr size_t kMost = 65536;
  if (!value->is_array() || value->size() > kMost) {
    refuse(ErrorCode::malformed, key,
           fmt::format("expected a list of at most {}, found {}", kMost, described(*value)));
  }
  return value;
}

void ConfigReader::refuse_entry(std::string_view key, size_t index,
                                std::string_view expected) const {
  refuse(ErrorCode::malformed, key,
         fmt::format("expected {} at [{}], found {}", expected, index,
                     described(entry(key)->at(index))));
}

std::optional<std::vector<int64_t>> ConfigReader::find_integers(std::string_view key,
                                                                const IntegerRule& rule) {
  const ordered_json* list = find_list(key);
  if (list == nullptr) return std::nullopt;
  std::vector<int64_t> values;
  for (const ordered_json& entry : *list) {
    const std::optional<int64_t> number = as_integer(entry);
    if (!number || *number < rule.least || *number > rule.most) {
      refuse_entry(key, values.size(), in_words(rule));
    }
    values.push_back(*number);
  }
  return values;
}

std::optional<std::vector<double>> ConfigReader::find_numbers(std::string_view key,
                                                              const NumberRule& rule) {
  const ordered_json* list = find_list(key);
  if (list == nullptr) return std::nullopt;
  std::vector<double> values;
  for (const ordered_json& entry : *list) {
    if (!entry.is_number() || !rule.holds(entry.get<double>())) {
      refuse_entry(key, values.size(), rule.expected);
    }
    values.push_back(entry.get<double>());
  }
  return values;
}

std::optional<std::vector<std::string>> ConfigReader::find_texts(std::string_view key) {
  const ordered_json* list = find_list(key);
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> values;
  for (const ordered_json& entry : *list) {
    if (!entry.is_string()) refuse_entry(key, values.size(), "a string");
    values.push_back(entry.get<std::string>());
  }
  return values;
}

int64_t ConfigReader::integer(std::string_view field, std::initializer_list<std::string_view> keys,
                              const IntegerRule& rule, std::optional<Default<int64_t>> fallback) {
  return settled(*findings_, field, said_integer(keys, rule), rule, fallback);
}

double ConfigReader::number(std::string_view field, std::string_view key, const NumberRule& rule,
                            const Default<double>& fallback) {
  const std::optional<double> value = find_number(key, rule);
  note(field, fmt::to_string(value.value_or(fallback.value)),
       value ? source(key) : std::string(fallback.reason));
  return value.value_or(fallback.value);
}

bool ConfigReader::boolean(std::string_view field, std::string_view key,
                           const Default<bool>& fallback) {
  const std::optional<bool> value = find_boolean(key);
  note(field, value.value_or(fallback.value) ? "true" : "false",
       value ? source(key) : std::string(fallback.reason));
  return value.value_or(fallback.value);
}

void ConfigReader::note(std::string_view field, std::string value, std::string source) {
  ropewalk::note(*findings_, field, std::move(value), std::move(source));
}

void ConfigReader::warn(std::string text) { ropewalk::warn(*findings_, std::move(text)); }

void ConfigReader::warn_unread() {
  std::set<std::string> said(findings_->warnings.begin(), findings_->warnings.end());
  for (const auto& [key, value] : object_->items()) {
    if (value.is_null() || read_.contains(key)) continue;
    const auto text = fmt::format("{} is {}, and not used", pointer_to(key), described(value));
    if (said.insert(text).second) findings_->warnings.push_back(text);
  }
}

void ConfigReader::warn_unread_position_keys(std::string_view family) {
  for (const std::string_view key : kPositionKeys) {
    if (!has(key) || read_.contains(key)) continue;
    const ordered_json& value = *entry(key);
    if (value == false) continue;  // "alibi": false says nothing new
    warn(fmt::format("{} is {}, but the code of the {} family does not read it", pointer_to(key),
                     described(value), family));
  }
}

std::string ConfigReader::pointer_to(std::string_view key) const {
  ordered_json::json_pointer step;
  step.push_back(std::string(name_of(key)));
  return pointer_ + escaped(step.to_string());
}

std::string ConfigReader::source(std::string_view key) const {
  return fmt::format("{}: {}", label_, pointer_to(key));
}

void ConfigReader::refuse(ErrorCode code, std::string_view key, const std::string& what) const {
  throw Error(code, fmt::format("{}: {}", source(key), what));
}

}  // namespace ropewalk
