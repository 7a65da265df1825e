#include "python/native/keywords.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace nb = nanobind;

namespace ropewalk::python {
namespace {

[[noreturn]] void fail(const char* name, const char* expected, nb::handle found) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: expected {}, found {}", name, expected, nb::repr(found).c_str()));
}

}  // namespace

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
  const nb::object value = at(name);
  if (!nb::isinstance<nb::str>(value)) fail(name, "a str", value);
  return nb::str(value).c_str();
}

std::optional<int64_t> Keywords::integer(const char* name) const {
  const nb::object value = at(name);
  if (value.is_none()) return std::nullopt;
  int64_t number = 0;
  if (PyBool_Check(value.ptr()) || !nb::try_cast(value, number)) fail(name, "an int", value);
  return number;
}

bool Keywords::flag(const char* name) const {
  const nb::object value = at(name);
  if (value.is_none()) return false;
  if (!PyBool_Check(value.ptr())) fail(name, "True or False", value);
  return value.ptr() == Py_True;
}

}  // namespace ropewalk::python
