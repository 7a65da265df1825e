#include "ropewalk/diagnose/field_differences.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/encoding/to_json.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;
using Level = Difference::Level;

bool same(const ordered_json& a, const ordered_json& b) {
  if (a.is_number() && b.is_number()) return same_number(a.get<double>(), b.get<double>());
  if (!a.is_array() || !b.is_array()) return a == b;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ordered_json& x, const ordered_json& y) { return same(x, y); });
}

std::string words_of(const ordered_json& value) {
  if (value.is_null()) return "none";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_object()) return value.dump();
  std::string words;
  for (const auto& [key, inner] : value.items()) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", key, words_of(inner));
  }
  return words;
}

FieldValue value_of(const ordered_json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<int64_t>();
  if (value.empty()) return {};  // null, an empty list
  return words_of(value);
}

// The first place in which two lists of one length differ, where they are too long to be shown.
std::optional<size_t> place_in_list(const ordered_json& a, const ordered_json& b) {
  constexpr size_t kShown = 8;
  if (!a.is_array() || !b.is_array() || a.size() != b.size() || a.size() <= kShown) {
    return std::nullopt;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return i;
  }
  return std::nullopt;
}

ordered_json member(const ordered_json& object, const std::string& key) {
  const auto found = object.find(key);
  return found == object.end() ? ordered_json() : *found;
}

std::string layout_words(const RotaryLayout& layout) {
  std::string words;
  for (const RotaryWindow& window : layout.windows) {
    words += fmt::format("{}{} at {}..{}", words.empty() ? "" : ", ", name(window.pairing),
                         window.offset, window.offset + window.dim - 1);
  }
  return words + fmt::format(" of {}", layout.head_dim);
}

void add_layouts(const RopeConfig& a, const RopeConfig& b, const std::string& part,
                 std::vector<Difference>& differences) {
  const auto add = [&](const char* field, const RotaryLayout& x, const RotaryLayout& y) {
    if (x == y) return;
    differences.push_back({Level::layout, part + field, layout_words(x), layout_words(y), {}});
  };
  add("pairs are", a.layout, b.layout);
  if (!a.output_layout && !b.output_layout) return;
  add("pairs are written", a.output_layout.value_or(a.layout), b.output_layout.value_or(b.layout));
}

// slope (k - q) and slope k differ by one number for each query, which the softmax does not see.
bool same_to_a_softmax(const ordered_json& a, const ordered_json& b) {
  const std::string relative(name(AlibiForm::relative)), key(name(AlibiForm::key_position));
  return (a == relative || a == key) && (b == relative || b == key);
}

}  // namespace

bool same_number(double a, double b) {
  return a == b || std::abs(a - b) <= 0x1p-21 * std::max(std::abs(a), std::abs(b));
}

void add_differences(const ordered_json& a, const ordered_json& b, Difference::Level level,
                     const std::string& field, std::vector<Difference>& differences) {
  if (a.is_object() && b.is_object()) {
    const std::string before = field.empty() || field.ends_with(' ') ? field : field + ".";
    for (const auto& [key, value] : a.items()) {
      add_differences(value, member(b, key), level, before + key, differences);
    }
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) add_differences({}, value, level, before + key, differences);
    }
    return;
  }
  if (same(a, b)) return;
  if (const auto place = place_in_list(a, b)) {
    add_differences(a[*place], b[*place], level, fmt::format("{}[{}]", field, *place), differences);
    return;
  }
  differences.push_back({level, field, value_of(a), value_of(b), {}});
}

void add_differences(const PositionEncoding& a, const PositionEncoding& b, const std::string& part,
                     std::vector<Difference>& differences) {
  if (a.index() != b.index()) {
    differences.push_back(
        {Level::config, part + "positions", std::string(name(a)), std::string(name(b)), {}});
    return;
  }
  ordered_json x = to_json(a), y = to_json(b);
  if (x["kind"] == "alibi" && same_to_a_softmax(x["form"], y["form"])) y["form"] = x["form"];
  const ordered_json parameters_a = member(x, "parameters"), parameters_b = member(y, "parameters");
  for (const char* apart : {"parameters", "layout", "output_layout"}) {
    x.erase(apart);
    y.erase(apart);
  }
  add_differences(x, y, Level::config, part, differences);
  add_differences(parameters_a, parameters_b, Level::config, part, differences);
  const auto* p = std::get_if<RopeConfig>(&a);
  const auto* q = std::get_if<RopeConfig>(&b);
  if (p != nullptr && q != nullptr) add_layouts(*p, *q, part, differences);
}

}  // namespace ropewalk
