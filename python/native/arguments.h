#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include "ropewalk/base/error.h"

namespace ropewalk::python {

namespace nb = nanobind;

// What a caller gave, as the type that the argument has. Each throws invalid_argument naming it:
// "layout: expected a str, found None". A number may be one of NumPy or PyTorch; True is no number.
int64_t integer(nb::handle given, const char* what);
double number(nb::handle given, const char* what);
bool flag(nb::handle given, const char* what);
std::string_view text(nb::handle given, const char* what);  // lives as long as `given`
// The same, or None.
std::optional<int64_t> integer_or_none(nb::handle given, const char* what);
std::optional<double> number_or_none(nb::handle given, const char* what);
std::optional<std::string> text_or_none(nb::handle given, const char* what);

// str(object) in UTF-8, half a surrogate pair as \udc80.
std::string utf8(nb::handle object);

// What was found, for a message: the value where it is short, "list [1, 2, ...", else its type.
std::string found(nb::handle object);

[[noreturn]] void fail(const std::string& why);

// Calls a function of the library that knows no name for `what`, and puts it before its error.
template <typename Call>
auto named(const char* what, Call call) {
  try {
    return call();
  } catch (const Error& error) {
    throw Error(error.code(), std::string(what) + ": " + error.what());
  }
}

// A TypeError that says which argument of a call does not fit the signature, as "def rope(self,
// layer: int | None = None)": one too many, one that is not known, one that is missing. `called` is
// what was called, `given` counts those by position, but for self.
[[noreturn]] void refuse_call(const char* signature, const std::string& called, size_t given,
                              const nb::kwargs& keywords);

// "rope" of "def rope(self, ...".
std::string name_of(std::string_view signature);

// Binds a function by its signature. What does not fit it comes to a second function of that name,
// which only says why: nanobind's own words are about C++. All arguments are handles, as the first
// pass of nanobind's converts nothing.
template <typename Scope, typename Function, typename... Extra>
void define(Scope& scope, const char* signature, Function function, const char* doc,
            const Extra&... extra) {
  const std::string name = name_of(signature), rest = "def " + name + "(...)";
  scope.def(name.c_str(), function, extra..., nb::sig(signature), doc);
  const bool is_method = std::string_view(signature).find("(self") != std::string_view::npos;
  scope.def(
      name.c_str(),
      [signature, is_method](const nb::args& given, const nb::kwargs& keywords) {
        refuse_call(signature, name_of(signature),
                    given.size() - (is_method && given.size() > 0 ? 1 : 0), keywords);
      },
      nb::sig(rest.c_str()), doc);
}

}  // namespace ropewalk::python
