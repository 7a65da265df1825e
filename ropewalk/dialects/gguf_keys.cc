#include "ropewalk/dialects/gguf_keys.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {

namespace {

// "m-00002-of-00003.gguf" of "m-00001-of-00003.gguf"; nothing for another name.
std::optional<std::filesystem::path> part_of(const std::filesystem::path& path, int64_t part) {
  std::string name = path.filename().string();
  const size_t at = name.rfind("-of-");
  if (at == name.npos || at < 5) return std::nullopt;
  name.replace(at - 5, 5, fmt::format("{:05}", part));
  return path.parent_path() / name;
}

}  // namespace

GgufKeys::GgufKeys(const GgufFile& file, const std::filesystem::path& path)
    : file_(file), architecture_(file.architecture()) {
  constexpr int64_t kMostParts = 1000;
  const int64_t parts = std::min(file.integer("split.count").value_or(1), kMostParts);
  const int64_t own = file.integer("split.no").value_or(0) + 1;
  for (int64_t part = 1; part <= parts; ++part) {
    if (part == own) continue;
    const auto other = part_of(path, part);
    std::error_code ignored;
    if (other && std::filesystem::is_regular_file(*other, ignored)) {
      other_parts_.emplace_back(*other);
    } else {
      missing_parts_.push_back(fmt::format("part {} of {}", part, parts));
    }
  }
}

const GgufFile* GgufKeys::file_with_tensor(std::string_view name) const {
  if (file_.tensors().find(name) != file_.tensors().end()) return &file_;
  for (const GgufFile& part : other_parts_) {
    if (part.tensors().find(name) != part.tensors().end()) return &part;
  }
  return nullptr;
}

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

Said<int64_t> GgufKeys::said_integer(std::string_view name, const IntegerRule& rule) {
  Said<int64_t> found = said(name, integer(name));
  if (found && !rule.holds(*found)) {
    refuse(ErrorCode::malformed, found.source,
           fmt::format("expected {}, found {}", in_words(rule), *found));
  }
  return found;
}

Said<double> GgufKeys::said_number(std::string_view name, const NumberRule& rule) {
  Said<double> found = said(name, number(name));
  if (found && !rule.holds(*found)) {
    refuse(ErrorCode::malformed, found.source,
           fmt::format("expected {}, found {}", rule.expected, *found));
  }
  return found;
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
