#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>

#include "python/native/fields.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {

namespace nb = nanobind;

// A value of C++ as tuples, numbers and bytes of Python, to be pickled; and back. read throws
// malformed for what write did not make, as a pickle of another version.
template <typename T>
nb::object write(const T& value);
template <typename T>
T read(nb::handle state);

namespace state {

[[noreturn]] inline void refuse() {
  throw Error(ErrorCode::malformed,
              "pickle: expected one of this version of ropewalk, found another");
}

inline nb::handle item(nb::handle tuple, size_t i) {
  return PyTuple_GetItem(tuple.ptr(), static_cast<Py_ssize_t>(i));  // borrowed
}

inline void expect_tuple(nb::handle given, std::optional<size_t> size = {}) {
  if (!PyTuple_Check(given.ptr()) || (size && nb::len(given) != *size)) refuse();
}

template <typename T>
struct Of {
  static nb::object write(const T& value) {
    if constexpr (std::is_empty_v<T>) {
      return nb::make_tuple();
    } else if constexpr (std::is_enum_v<T>) {
      return nb::int_(static_cast<int>(value));
    } else if constexpr (std::is_same_v<T, bool>) {
      return nb::bool_(value);
    } else if constexpr (std::is_integral_v<T>) {
      return nb::int_(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return nb::float_(value);
    } else {
      return with_fields(value, [](const auto&... each) -> nb::object {
        return nb::make_tuple(python::write(each)...);
      });
    }
  }

  static T read(nb::handle given) {
    T value{};
    if constexpr (std::is_empty_v<T>) {
      expect_tuple(given, 0);
    } else if constexpr (std::is_enum_v<T>) {
      int number = 0;
      if (!nb::try_cast(given, number)) refuse();
      value = static_cast<T>(number);
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (!nb::try_cast(given, value)) refuse();
    } else {
      with_fields(value, [&](auto&... each) {
        expect_tuple(given, sizeof...(each));
        size_t i = 0;
        ((each = python::read<std::remove_cvref_t<decltype(each)>>(item(given, i++))), ...);
      });
    }
    return value;
  }
};

template <>
struct Of<std::string> {
  static nb::object write(const std::string& value) {
    return nb::bytes(value.data(), value.size());
  }
  static std::string read(nb::handle given) {
    if (!PyBytes_Check(given.ptr())) refuse();
    return {PyBytes_AsString(given.ptr()), static_cast<size_t>(PyBytes_Size(given.ptr()))};
  }
};

template <typename T>
struct Of<std::optional<T>> {
  static nb::object write(const std::optional<T>& value) {
    return value ? nb::object(nb::make_tuple(python::write(*value))) : nb::none();
  }
  static std::optional<T> read(nb::handle given) {
    if (given.is_none()) return std::nullopt;
    expect_tuple(given, 1);
    return python::read<T>(item(given, 0));
  }
};

template <typename T>
struct Of<std::vector<T>> {
  static nb::object write(const std::vector<T>& values) {
    nb::list all;
    for (const T& value : values) all.append(python::write(value));
    return nb::steal(PyList_AsTuple(all.ptr()));
  }
  static std::vector<T> read(nb::handle given) {
    expect_tuple(given);
    std::vector<T> values;
    for (size_t i = 0; i < nb::len(given); ++i) values.push_back(python::read<T>(item(given, i)));
    return values;
  }
};

// The rows of a step are many.
template <>
struct Of<std::vector<float>> {
  static nb::object write(const std::vector<float>& values) {
    return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  static std::vector<float> read(nb::handle given) {
    const std::string bytes = python::read<std::string>(given);
    if (bytes.size() % sizeof(float) != 0) refuse();
    std::vector<float> values(bytes.size() / sizeof(float));
    if (!bytes.empty()) bytes.copy(reinterpret_cast<char*>(values.data()), bytes.size());
    return values;
  }
};

template <typename Key, typename T>
struct Of<std::map<Key, T>> {
  static nb::object write(const std::map<Key, T>& values) {
    nb::list all;
    for (const auto& [key, value] : values) {
      all.append(nb::make_tuple(python::write(key), python::write(value)));
    }
    return nb::steal(PyList_AsTuple(all.ptr()));
  }
  static std::map<Key, T> read(nb::handle given) {
    expect_tuple(given);
    std::map<Key, T> values;
    for (size_t i = 0; i < nb::len(given); ++i) {
      expect_tuple(item(given, i), 2);
      values.emplace(python::read<Key>(item(item(given, i), 0)),
                     python::read<T>(item(item(given, i), 1)));
    }
    return values;
  }
};

template <typename... T>
struct Of<std::variant<T...>> {
  static nb::object write(const std::variant<T...>& value) {
    return nb::make_tuple(value.index(),
                          std::visit([](const auto& each) { return python::write(each); }, value));
  }
  static std::variant<T...> read(nb::handle given) {
    expect_tuple(given, 2);
    const auto index = python::read<size_t>(item(given, 0));
    std::variant<T...> value;
    size_t i = 0;
    bool known = false;
    ((i++ == index ? (value = python::read<T>(item(given, 1)), known = true) : false), ...);
    if (!known) refuse();
    return value;
  }
};

// Shared because nothing changes it.
template <typename T>
struct Of<std::shared_ptr<const T>> {
  static nb::object write(const std::shared_ptr<const T>& value) { return python::write(*value); }
  static std::shared_ptr<const T> read(nb::handle given) {
    return std::make_shared<const T>(python::read<T>(given));
  }
};

}  // namespace state

template <typename T>
nb::object write(const T& value) {
  return state::Of<T>::write(value);
}

template <typename T>
T read(nb::handle given) {
  return state::Of<T>::read(given);
}

// A class whose objects never change: its own copy, compared by what it holds, and pickled.
template <typename T, typename Hash>
void bind_value(nb::class_<T>& type, Hash hash) {
  type.def("__getstate__", [](const T& self) { return write(self); })
      .def("__setstate__", [](T& self, nb::handle state) { new (&self) T(read<T>(state)); })
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); })
      .def(
          "__eq__", [](const T& a, const T& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__hash__", [hash](const T& self) {
        return static_cast<int64_t>(std::hash<std::string>()(hash(self)) >> 1);
      });
}

}  // namespace ropewalk::python
