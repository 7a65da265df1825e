#include "python/native/arrays.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk::python {
namespace {

// What is known of a type of array, so that it is asked once and not on every call.
struct TypeFacts {
  PyTypeObject* type = nullptr;  // kept alive
  bool torch = false, jax = false, numpy = false;
  const dlpack::ExchangeApi* exchange = nullptr;
};

const dlpack::ExchangeApi* exchange_api(nb::handle type) {
  constexpr const char* kName = "dlpack_exchange_api";
  nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), kName)) return nullptr;
  const auto* api =
      static_cast<const dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), kName));
  while (api != nullptr && api->version.major != 1) api = api->previous;
  return api != nullptr && api->dltensor_from_py_object_no_sync != nullptr ? api : nullptr;
}

TypeFacts look_at(PyTypeObject* type) {
  const nb::handle handle(reinterpret_cast<PyObject*>(type));
  TypeFacts facts{.type = type};
  facts.torch = nb::hasattr(handle, "requires_grad") && nb::hasattr(handle, "is_neg");
  const nb::object numpy = nb::module_::import_("numpy").attr("ndarray");
  facts.numpy = PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(numpy.ptr())) != 0;
  const nb::object module = nb::getattr(handle, "__module__", nb::str(""));
  facts.jax = nb::isinstance<nb::str>(module) &&
              std::string_view(nb::cast<nb::str>(module).c_str()).starts_with("jax");
  facts.exchange = exchange_api(handle);
  return facts;
}

// By value: while Python looks something up, another thread may put another type into the place.
TypeFacts facts_of(nb::handle object) {
  static std::array<TypeFacts, 8> known;  // the GIL is held
  static size_t next = 0;
  PyTypeObject* type = Py_TYPE(object.ptr());
  for (const TypeFacts& facts : known) {
    if (facts.type == type) return facts;
  }
  const TypeFacts facts = look_at(type);
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(known[next++ % known.size()], facts).type));
  return facts;
}

// A tensor whose memory is not what it says, as DLPack does not tell.
bool is_negated(nb::handle tensor) {
  static Name is_neg("is_neg");
  PyObject* self = tensor.ptr();
  PyObject* truth = PyObject_VectorcallMethod(is_neg.get(), &self, 1, nullptr);
  if (truth == nullptr) throw nb::python_error();
  Py_DECREF(truth);
  return truth == Py_True;
}

bool has_gradient(nb::handle tensor) {
  static Name requires_grad("requires_grad");
  return attribute(tensor, requires_grad).is(Py_True);
}

std::optional<DType> dtype_of(dlpack::DataType type) {
  if (type.lanes != 1) return std::nullopt;
  switch (type.code << 8 | type.bits) {
    case dlpack::kFloat << 8 | 32:
      return DType::f32;
    case dlpack::kBfloat << 8 | 16:
      return DType::bf16;
    case dlpack::kFloat << 8 | 16:
      return DType::f16;
    case dlpack::kFloat << 8 | 64:
      return DType::f64;
    case dlpack::kInt << 8 | 64:
      return DType::i64;
    case dlpack::kInt << 8 | 32:
      return DType::i32;
    case dlpack::kInt << 8 | 16:
      return DType::i16;
    case dlpack::kInt << 8 | 8:
      return DType::i8;
    case dlpack::kUInt << 8 | 8:
      return DType::u8;
    case dlpack::kUInt << 8 | 16:
      return DType::u16;
    case dlpack::kUInt << 8 | 32:
      return DType::u32;
    case dlpack::kUInt << 8 | 64:
      return DType::u64;
    case dlpack::kBool << 8 | 8:
      return DType::boolean;
    default:
      return std::nullopt;
  }
}

// Of a buffer's format, as in the struct module of Python.
std::optional<DType> dtype_of(std::string_view format, Py_ssize_t size) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) {
    format.remove_prefix(1);
  }
  if (format.size() != 1) return std::nullopt;
  constexpr std::string_view kSigned = "bhilqn", kUnsigned = "BHILQN", kFloat = "efd";
  uint8_t code = dlpack::kBool;
  if (kSigned.find(format[0]) != format.npos) {
    code = dlpack::kInt;
  } else if (kUnsigned.find(format[0]) != format.npos) {
    code = dlpack::kUInt;
  } else if (kFloat.find(format[0]) != format.npos) {
    code = dlpack::kFloat;
  } else if (format[0] != '?') {
    return std::nullopt;
  }
  return dtype_of(dlpack::DataType{code, static_cast<uint8_t>(8 * size), 1});
}

// The first line of what a Python error says; PyTorch adds the frames of its C++.
std::string first_line(const nb::python_error& error) {
  const std::string text = nb::str(error.value()).c_str();
  return text.substr(0, text.find('\n'));
}

// Of the error that is set, which is cleared.
std::string python_message() { return first_line(nb::python_error()); }

std::string type_text(nb::handle object) { return nb::type_name(object.type()).c_str(); }

}  // namespace

void Array::fail(const std::string& why) const {
  throw Error(ErrorCode::invalid_argument, fmt::format("{}: {}", what_, why));
}

Array::Array(nb::handle object, const char* what) : what_(what) {
  const TypeFacts facts = facts_of(object);
  if (facts.torch) {
    if (has_gradient(object)) {
      fail(
          "expected a tensor without a gradient, found one with requires_grad; ropewalk.torch "
          "turns "
          "with a gradient, or give detach() of it");
    }
    if (is_negated(object)) {
      fail(
          "expected numbers as they are, found a view that negates them; give resolve_neg() of it");
    }
  }
  if (facts.numpy) {
    import_numpy(object);
    return;
  }
  if (import_exchange(object, facts.exchange) || import_buffer(object)) {
    read_only_ |= facts.jax;
    return;
  }
  import_dlpack(object);
  read_only_ |= facts.jax;
}

Array::Held::~Held() {
  if (has_buffer) PyBuffer_Release(&buffer);
  if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
  if (versioned != nullptr && versioned->deleter != nullptr) versioned->deleter(versioned);
}

TensorView Array::out() const {
  if (read_only_) {
    fail(
        fmt::format("expected an array that may be written, found a read-only one, {}; apply "
                    "without the underscore returns a new array",
                    in_words(view_)));
  }
  return {{const_cast<void*>(view_.data), view_.dtype, view_.shape, view_.strides}};
}

void Array::take(const dlpack::Tensor& tensor) {
  if (tensor.device.device_type != dlpack::kCpu) {
    fail(
        fmt::format("expected an array in the memory of the CPU, found one on a device of DLPack "
                    "type {}",
                    tensor.device.device_type));
  }
  const std::optional<DType> dtype = dtype_of(tensor.dtype);
  if (!dtype) {
    fail(fmt::format("expected numbers of a known type, found code {} with {} bits of DLPack",
                     tensor.dtype.code, tensor.dtype.bits));
  }
  view_.dtype = *dtype;
  view_.data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  if (tensor.ndim > kMaxRank)
    fail(fmt::format("expected at most {} dimensions, found {}", kMaxRank, tensor.ndim));
  for (int i = 0; i < tensor.ndim; ++i) view_.shape.push_back(tensor.shape[i]);
  if (tensor.strides == nullptr) {
    view_.strides = contiguous_strides(view_.shape);
  } else {
    for (int i = 0; i < tensor.ndim; ++i) view_.strides.push_back(tensor.strides[i]);
  }
}

bool Array::import_exchange(nb::handle object, const dlpack::ExchangeApi* api) {
  if (api == nullptr) return false;
  dlpack::Tensor tensor;
  if (api->dltensor_from_py_object_no_sync(object.ptr(), &tensor) != 0) fail(python_message());
  take(tensor);
  return true;
}

bool Array::import_buffer(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr())) return false;
  if (PyObject_GetBuffer(object.ptr(), &held_.buffer, PyBUF_RECORDS_RO) != 0) {
    const std::string why = python_message();
    if (nb::hasattr(object, "__dlpack__")) return false;
    fail(why);
  }
  held_.has_buffer = true;
  read_only_ = held_.buffer.readonly != 0;
  const std::string_view format = held_.buffer.format == nullptr ? "B" : held_.buffer.format;
  const std::optional<DType> dtype = dtype_of(format, held_.buffer.itemsize);
  if (!dtype)
    fail(fmt::format("expected numbers of a known type, found the format \"{}\"", escaped(format)));
  take_bytes(held_.buffer.buf, *dtype,
             {held_.buffer.ndim, held_.buffer.itemsize, held_.buffer.shape, held_.buffer.strides});
  return true;
}

void Array::take_bytes(void* data, DType dtype, const Extents& extents) {
  view_.data = data;
  view_.dtype = dtype;
  if (extents.rank > kMaxRank)
    fail(fmt::format("expected at most {} dimensions, found {}", kMaxRank, extents.rank));
  for (int i = 0; i < extents.rank; ++i) {
    view_.shape.push_back(extents.shape[i]);
    if (extents.shape[i] > 1 && extents.strides[i] % extents.item != 0) {
      fail(fmt::format("expected strides in whole elements of {} bytes, found {} bytes",
                       extents.item, extents.strides[i]));
    }
    view_.strides.push_back(extents.strides[i] / extents.item);
  }
}

void Array::import_dlpack(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack__")) {
    fail(
        fmt::format("expected an array (of NumPy, PyTorch, JAX, ... with a buffer or __dlpack__), "
                    "found {}",
                    type_text(object)));
  }
  const auto device = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
  if (nb::cast<int>(device[0]) != dlpack::kCpu) {
    fail(
        fmt::format("expected an array in the memory of the CPU, found one on a device of DLPack "
                    "type {}",
                    nb::cast<int>(device[0])));
  }
  nb::object capsule;
  try {
    capsule = object.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) fail(first_line(error));
    capsule = object.attr("__dlpack__")();
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    held_.versioned = static_cast<dlpack::ManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    read_only_ = (held_.versioned->flags & dlpack::kReadOnly) != 0;
    take(held_.versioned->dl_tensor);
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    held_.managed =
        static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    take(held_.managed->dl_tensor);
  } else {
    fail(fmt::format("expected a capsule of DLPack, found {}", type_text(capsule)));
  }
}

}  // namespace ropewalk::python
