#include "python/native/keywords.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "python/native/arguments.h"

namespace nb = nanobind;

namespace ropewalk::python {
Keywords::Keywords(const char* function, const nb::kwargs& given,
                   std::span<const char* const> known)
    : given_(given) {
  for (const auto& [key, value] : given) {
    const std::string name = nb::str(key).c_str();
    if (std::ranges::find(known, std::string_view(name)) != known.end()) continue;
    throw nb::type_error(
        fmt::format("{}() got an unexpected keyword argument '{}'", function, name).c_str());
  }
}

nb::object Keywords::at(const char* name) const {
  return given_.contains(name) ? nb::object(given_[name]) : nb::none();
}

bool Keywords::has(const char* name) const { return !at(name).is_none(); }

std::string Keywords::text(const char* name) const {
  return std::string(python::text(at(name), name));
}

std::optional<int64_t> Keywords::integer(const char* name) const {
  return integer_or_none(at(name), name);
}

bool Keywords::flag(const char* name) const { return has(name) && python::flag(at(name), name); }

}  // namespace ropewalk::python
