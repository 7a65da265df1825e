// NumPy's arrays by their own array interface, which costs half of what the buffer protocol does
// and knows those of ml_dtypes, which have no buffer.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "python/native/arguments.h"
#include "python/native/arrays.h"

namespace ropewalk::python {
namespace {

// What __array_struct__ holds: PyArrayInterface of NumPy.
struct ArrayInterface {
  int two;  // 2
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_ssize_t* shape;
  Py_ssize_t* strides;  // in bytes
  void* data;
  PyObject* descr;
};
constexpr int kWriteable = 0x400;

// Of numpy.dtype("float32"); none for one of another byte order, or with fields.
std::optional<DType> look_at(nb::handle dtype) {
  if (!nb::cast<bool>(dtype.attr("isnative"))) return std::nullopt;
  return dtype_named(utf8(dtype.attr("name")));
}

// dtypes are few objects that live on: each is asked once.
std::optional<DType> dtype_of(nb::handle dtype) {
  struct Known {
    PyObject* dtype = nullptr;  // kept alive
    std::optional<DType> is;
  };
  static std::array<Known, 16> known;  // the GIL is held
  static size_t next = 0;
  for (const Known& each : known) {
    if (each.dtype == dtype.ptr()) return each.is;
  }
  const Known made{dtype.ptr(), look_at(dtype)};
  Py_INCREF(made.dtype);
  Py_XDECREF(std::exchange(known[next++ % known.size()], made).dtype);
  return made.is;
}

}  // namespace

nb::object attribute(nb::handle object, Name& name) {
  PyObject* value = PyObject_GetAttr(object.ptr(), name.get());
  if (value == nullptr) throw nb::python_error();
  return nb::steal(value);
}

void Array::import_numpy(nb::handle object) {
  static Name dtype_name("dtype"), struct_name("__array_struct__");
  const std::optional<DType> dtype = dtype_of(attribute(object, dtype_name));
  if (!dtype) {
    fail(fmt::format("expected numbers of a known type, found the dtype {}",
                     escaped(utf8(attribute(object, dtype_name)))));
  }
  held_.capsule = attribute(object, struct_name);
  const auto* array =
      static_cast<const ArrayInterface*>(PyCapsule_GetPointer(held_.capsule.ptr(), nullptr));
  if (array == nullptr) throw nb::python_error();
  read_only_ = (array->flags & kWriteable) == 0;
  take_bytes(array->data, *dtype, {array->nd, array->itemsize, array->shape, array->strides});
}

}  // namespace ropewalk::python
