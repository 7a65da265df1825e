#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/file.h"

namespace ropewalk {

// A key or tensor and where it is told of.
template <typename Value>
struct NamedAt {
  std::string name;
  uint64_t offset = 0;
  Value value;
};

// The same as a map, in linear time when they are sorted already. Throws malformed for a name that
// is there twice.
template <typename Value>
std::map<std::string, Value, std::less<>> sorted_by_name(const InputFile& file,
                                                         std::string_view kind,
                                                         std::vector<NamedAt<Value>> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  std::map<std::string, Value, std::less<>> result;
  uint64_t previous = 0;
  for (NamedAt<Value>& entry : entries) {
    if (!result.empty() && result.rbegin()->first == entry.name) {
      throw Error(ErrorCode::malformed,
                  fmt::format("{}: byte {}: duplicate {} \"{}\" (first at byte {})", file.label(),
                              entry.offset, kind, escaped(entry.name), previous));
    }
    previous = entry.offset;
    result.emplace_hint(result.end(), std::move(entry.name), std::move(entry.value));
  }
  return result;
}

}  // namespace ropewalk
