#include "ropewalk/models/gguf_keys.h"

#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {

std::string GgufKeys::key(std::string_view name) {
  std::string full = fmt::format("{}.{}", architecture_, name);
  used_.insert(full);
  return full;
}

std::optional<double> GgufKeys::number(std::string_view name) {
  const std::string full = key(name);
  const std::optional<double> value = file_.number(full);
  if (!value) return std::nullopt;
  if (!std::isfinite(*value)) {
    file_.fail(full, fmt::format("expected a finite number, found {}", *value));
  }
  const auto single = static_cast<float>(*value);
  return single == *value ? std::stod(fmt::to_string(single)) : *value;
}

std::optional<std::vector<int64_t>> GgufKeys::integers(std::string_view name) {
  const std::string full = key(name);
  return file_.is_array(full) ? file_.integers(full) : std::nullopt;
}

std::vector<std::string> GgufKeys::unread_rope_keys() const {
  const std::string prefix = architecture_ + ".rope.";
  std::vector<std::string> lines;
  for (auto found = file_.metadata().lower_bound(prefix); found != file_.metadata().end();
       ++found) {
    if (!found->first.starts_with(prefix)) break;
    if (used_.contains(found->first)) continue;
    lines.push_back(fmt::format("{} is not used", escaped(found->first)));
  }
  return lines;
}

}  // namespace ropewalk
