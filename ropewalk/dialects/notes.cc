#include "ropewalk/dialects/notes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ropewalk {

void note(ModelEncoding& model, std::string_view field, std::string value, std::string source) {
  model.evidence.push_back({std::string(field), std::move(value), std::move(source)});
}

void keep_notes(const ModelEncoding& before, ModelEncoding& model) {
  std::vector<bool> used(before.evidence.size());
  for (Evidence& fact : model.evidence) {
    for (size_t i = 0; i < used.size(); ++i) {
      const Evidence& old = before.evidence[i];
      if (used[i] || old.field != fact.field || old.value != fact.value) continue;
      used[i] = true;
      fact = old;
      break;
    }
  }
}

void warn(ModelEncoding& model, std::string text) {
  auto& warnings = model.warnings;
  if (std::ranges::count(warnings, text) == 0) warnings.push_back(std::move(text));
}

int64_t settled(ModelEncoding& model, std::string_view field, const Said<int64_t>& said,
                const IntegerRule& rule, const std::optional<Default<int64_t>>& fallback) {
  if (!said && !fallback) {
    refuse(
        ErrorCode::malformed, said.source,
        fmt::format("expected {}, found {}", in_words(rule), said.null ? "null" : "no such key"));
  }
  const int64_t value = said ? *said : fallback->value;
  note(model, field, fmt::to_string(value), said ? said.source : std::string(fallback->reason));
  return value;
}

}  // namespace ropewalk
