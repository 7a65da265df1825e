#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <nanobind/nanobind.h>

namespace ropewalk::python {

// The keywords of a call that has too many for parameters. One that is None was not given.
class Keywords {
 public:
  // Throws TypeError for a keyword that is not known.
  Keywords(const char* function, const nanobind::kwargs& given, std::span<const char* const> known);

  nanobind::object at(const char* name) const;
  bool has(const char* name) const;

  // Each throws invalid_argument naming the keyword for another type.
  std::string text(const char* name) const;
  std::optional<int64_t> integer(const char* name) const;
  bool flag(const char* name) const;

 private:
  nanobind::kwargs given_;
};

}  // namespace ropewalk::python
