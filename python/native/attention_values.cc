#include "python/native/attention_values.h"

#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "python/native/arguments.h"

namespace ropewalk::python {
bool flag_of(nb::handle flag, const char* what) {
  if (flag.is(Py_False) || flag.is(Py_True)) return flag.is(Py_True);
  const nb::str dtype(nb::getattr(flag, "dtype", nb::str("")));
  if (std::string_view(dtype.c_str()) == "bool") {  // of NumPy
    return nb::cast<bool>(flag.attr("__bool__")());
  }
  int64_t value = -1;
  if (nb::isinstance<nb::int_>(flag) && nb::try_cast(flag, value) && (value == 0 || value == 1)) {
    return value == 1;
  }
  fail(fmt::format("{}: expected True, False, 1 or 0, found {}", what, found(flag)));
}

Floats floats_of(nb::handle object, const char* what, int rank, const char* expected) {
  nb::object given = array_of_list(object, what);
  if (!given.is(object)) given = given.attr("astype")("float64");  // a list: 1 is a number too
  const Array array(given, what);
  if (!is_floating(array.in().dtype)) {
    fail(fmt::format("{}: expected floats, found {}", what, in_words(array.in())));
  }
  if (array.in().shape.size() != rank || num_elements(array.in().shape) == 0) {
    fail(fmt::format("{}: expected {}, found {}", what, expected, in_words(array.in())));
  }
  const Tensor tensor = converted(array.in(), DType::f32);
  Floats floats{tensor.shape, std::vector<float>(tensor.bytes.size() / sizeof(float))};
  std::memcpy(floats.values.data(), tensor.bytes.data(), tensor.bytes.size());
  return floats;
}

std::vector<int64_t> integers_of(nb::handle object, const char* what) {
  return Positions(object, what).list();
}

}  // namespace ropewalk::python
