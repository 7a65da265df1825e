#include "ropewalk/report/cause_words.h"

#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

std::string filled(std::string_view text, const Cause& cause) {
  const auto number = [&](std::string_view key) { return number_words(number_of(cause, key)); };
  const double shift = number_of(cause, "number");
  return fmt::format(fmt::runtime(text), fmt::arg("found", number("found")),
                     fmt::arg("expected", number("expected")), fmt::arg("number", number("number")),
                     fmt::arg("undo", fmt::format("{} {}", shift < 0 ? "add" : "subtract",
                                                  number_words(std::abs(shift)))),
                     fmt::arg("axis", number("axis")), fmt::arg("layer", number("layer")),
                     fmt::arg("name", escaped(cause.name, 60)));
}

}  // namespace

std::string number_words(double value) {
  const bool whole = std::abs(value) < 1e15 && value == std::trunc(value);
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.8g}", value);
}

std::string joined_words(std::span<const CauseWords> table, const std::vector<Cause>& causes,
                         std::string_view CauseWords::*part, std::string_view between) {
  std::string text;
  for (const Cause& cause : causes) {
    for (const CauseWords& words : table) {
      if (words.hypothesis != cause.hypothesis || words.variant != cause.variant) continue;
      text += fmt::format("{}{}", text.empty() ? "" : between, filled(words.*part, cause));
    }
  }
  return text;
}

}  // namespace ropewalk
