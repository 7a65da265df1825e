#include "python/native/arguments.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ropewalk::python {
namespace {

[[noreturn]] void wrong(const char* what, const char* expected, nb::handle given) {
  fail(fmt::format("{}: expected {}, found {}", what, expected, found(given)));
}

// numpy.bool_, a tensor of torch.bool: has __index__ or __float__, and is no number.
bool is_bool(nb::handle given) {
  if (PyBool_Check(given.ptr())) return true;
  if (PyLong_CheckExact(given.ptr()) || PyFloat_CheckExact(given.ptr())) return false;
  const nb::object dtype = nb::getattr(given, "dtype", nb::none());
  return !dtype.is_none() && utf8(dtype).ends_with("bool");
}

bool is_text(nb::handle given) {
  return PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr());
}

// Of a signature: "k: object | None = None".
struct Parameter {
  std::string name;
  bool required, by_keyword_only;
};

std::vector<Parameter> parameters_of(std::string_view signature) {
  std::vector<Parameter> parameters;
  bool keywords = false, quoted = false;
  int depth = 0;
  std::string part;
  const auto end_part = [&] {
    const size_t begin = part.find_first_not_of(' ');
    if (begin != part.npos) part.erase(0, begin);
    if (part == "*") {
      keywords = true;
    } else if (!part.empty() && part != "/") {
      const bool required = part.find(" = ") == part.npos;
      parameters.push_back({part.substr(0, part.find_first_of(": ")), required, keywords});
    }
    part.clear();
  };
  for (const char c : signature.substr(signature.find('(') + 1)) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == ')' || c == ']') && --depth < 0) break;
    if (!quoted && (c == '(' || c == '[')) ++depth;
    if (!quoted && c == ',' && depth == 0) {
      end_part();
    } else {
      part += c;
    }
  }
  end_part();
  return parameters;
}

std::string names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& each : parameters) names.push_back(each.name);
  return names.empty() ? "no arguments" : fmt::format("the arguments {}", fmt::join(names, ", "));
}

std::string mismatch(const std::vector<Parameter>& parameters, size_t given,
                     const nb::kwargs& keywords) {
  const auto by_position = static_cast<size_t>(std::count_if(
      parameters.begin(), parameters.end(), [](const auto& p) { return !p.by_keyword_only; }));
  for (const auto [key, value] : keywords) {
    const std::string name = utf8(key);
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const auto& p) { return p.name == name; });
    if (known == parameters.end()) {
      return fmt::format("expected {}, found \"{}\"", names_of(parameters), escaped(name));
    }
    if (static_cast<size_t>(known - parameters.begin()) < std::min(given, by_position)) {
      return fmt::format("{}: expected one, found two, by position and by keyword", name);
    }
  }
  if (given > by_position) {
    return fmt::format("expected at most {} arguments by position, found {}; by keyword are {}",
                       by_position, given,
                       names_of({parameters.begin() + static_cast<std::ptrdiff_t>(by_position),
                                 parameters.end()}));
  }
  for (size_t i = given; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    if (parameters[i].required && !keywords.contains(nb::str(name.c_str()))) {
      return fmt::format("{}: expected an argument, found none", name);
    }
  }
  return fmt::format("expected {}, found others", names_of(parameters));
}

}  // namespace

void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

std::string utf8(nb::handle object) {
  const nb::object as_text = nb::steal(PyObject_Str(object.ptr()));
  if (!as_text.is_valid()) throw nb::python_error();
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(as_text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), static_cast<size_t>(PyBytes_Size(bytes.ptr()))};
}

std::string found(nb::handle object) {
  constexpr size_t kLongest = 60;
  PyObject* given = object.ptr();
  const std::string type = utf8(nb::type_name(object.type()));
  const bool simple = object.is_none() || PyBool_Check(given) || PyLong_CheckExact(given) ||
                      PyFloat_CheckExact(given) || is_text(object);
  const bool listed = PyList_CheckExact(given) || PyTuple_CheckExact(given) ||
                      PyDict_CheckExact(given) || PyRange_Check(given);
  if (!simple && !listed) return "an object of type " + type;
  std::string shown = escaped(utf8(nb::repr(object)));
  if (shown.size() > kLongest) shown = shown.substr(0, kLongest) + "...";
  return shown;
}

int64_t integer(nb::handle given, const char* what) {
  const bool plain = PyLong_CheckExact(given.ptr());
  if (!plain && (is_bool(given) || PyIndex_Check(given.ptr()) == 0)) {
    wrong(what, "an integer", given);
  }
  const nb::object whole = plain ? nb::borrow(given) : nb::steal(PyNumber_Index(given.ptr()));
  if (!whole.is_valid()) {
    PyErr_Clear();
    wrong(what, "an integer", given);
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow != 0) wrong(what, "an integer of 64 bits", whole);
  return value;
}

double number(nb::handle given, const char* what) {
  if (PyFloat_CheckExact(given.ptr())) return PyFloat_AsDouble(given.ptr());
  const nb::object rank = nb::getattr(given, "ndim", nb::int_(0));  // of NumPy: one of [1] too
  const bool single = PyLong_Check(rank.ptr()) == 0 || PyLong_AsLong(rank.ptr()) == 0;
  if (is_bool(given) || is_text(given) || !single) wrong(what, "a number", given);
  const double value = PyFloat_AsDouble(given.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    wrong(what, "a number", given);
  }
  return value;
}

bool flag(nb::handle given, const char* what) {
  if (given.is(Py_False) || given.is(Py_True)) return given.is(Py_True);
  if (!is_bool(given)) wrong(what, "True or False", given);
  const int truth = PyObject_IsTrue(given.ptr());
  if (truth < 0) {  // an array of several
    PyErr_Clear();
    wrong(what, "True or False", given);
  }
  return truth == 1;
}

std::string_view text(nb::handle given, const char* what) {
  if (!PyUnicode_Check(given.ptr())) wrong(what, "a str", given);
  Py_ssize_t size = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
  if (characters == nullptr) {
    PyErr_Clear();
    wrong(what, "a str of whole characters", given);
  }
  return {characters, static_cast<size_t>(size)};
}

std::optional<int64_t> integer_or_none(nb::handle given, const char* what) {
  return given.is_none() ? std::nullopt : std::optional(integer(given, what));
}

std::optional<double> number_or_none(nb::handle given, const char* what) {
  return given.is_none() ? std::nullopt : std::optional(number(given, what));
}

std::optional<std::string> text_or_none(nb::handle given, const char* what) {
  return given.is_none() ? std::nullopt : std::optional(std::string(text(given, what)));
}

std::string name_of(std::string_view signature) {
  constexpr std::string_view kDef = "def ";
  return std::string(signature.substr(kDef.size(), signature.find('(') - kDef.size()));
}

void refuse_call(const char* signature, const std::string& called, size_t given,
                 const nb::kwargs& keywords) {
  std::vector<Parameter> parameters = parameters_of(signature);
  if (!parameters.empty() && parameters.front().name == "self") {
    parameters.erase(parameters.begin());
  }
  const std::string why = fmt::format("{}: {}", called, mismatch(parameters, given, keywords));
  throw nb::type_error(why.c_str());
}

}  // namespace ropewalk::python
