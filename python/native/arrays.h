#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "python/native/dlpack.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/position_ids.h"

namespace ropewalk::python {

namespace nb = nanobind;

// The name of an attribute as a string of Python that is made once.
class Name {
 public:
  explicit Name(const char* name) : name_(name) {}
  PyObject* get() {
    if (made_ == nullptr) made_ = PyUnicode_InternFromString(name_);
    return made_;
  }

 private:
  const char* name_;
  PyObject* made_ = nullptr;
};

nb::object attribute(nb::handle object, Name& name);

// Somebody's array for the time of one call: its memory as it is, nothing copied. NumPy through
// its array interface, other buffers through the buffer protocol, the rest through DLPack.
class Array {
 public:
  // Throws Error naming `what` for what is no array, is not in the CPU's memory, has elements that
  // ropewalk does not know, or is a torch tensor that requires a gradient.
  Array(nb::handle object, const char* what);

  const ConstTensorView& in() const { return view_; }
  // Throws invalid_argument for an array that is read-only.
  TensorView out() const;
  const char* what() const { return what_; }

 private:
  // Memory whose strides are in bytes, as NumPy and buffers have them.
  struct Extents {
    int rank;
    Py_ssize_t item;
    const Py_ssize_t *shape, *strides;
  };

  bool import_exchange(nb::handle object, const dlpack::ExchangeApi* api);
  void import_numpy(nb::handle object);
  bool import_buffer(nb::handle object);
  void import_dlpack(nb::handle object);
  void take(const dlpack::Tensor& tensor);
  void take_bytes(void* data, DType dtype, const Extents& extents);
  [[noreturn]] void fail(const std::string& why) const;

  // What keeps the memory, given back in the end.
  struct Held {
    bool has_buffer = false;
    Py_buffer buffer;
    dlpack::ManagedTensor* managed = nullptr;
    dlpack::ManagedTensorVersioned* versioned = nullptr;
    nb::object capsule;

    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held();
  };

  ConstTensorView view_;
  const char* what_;
  bool read_only_ = false;
  Held held_;
};

// "float32 of shape [1, 16, 32, 128] with strides [65536, 4096, 128, 1]"
std::string in_words(const ConstTensorView& view);

// "float32": the name that NumPy and PyTorch have for it.
const char* array_name(DType dtype);

// The other way round.
std::optional<DType> dtype_named(std::string_view name);

// The same of what a caller gave: "float32", numpy.float32, numpy.dtype("float32") or
// torch.float32. Throws invalid_argument for anything but f32, f16 and bf16.
DType float_dtype(nb::handle dtype);

// The NumPy array of a list, tuple or range, or anything else as it is; of no numbers: int64.
// Throws invalid_argument naming `what` for lists of different lengths.
nb::object array_of_list(nb::handle object, const char* what);

// Position ids of a call: an integer (the first of a run), a list of integers, or an array.
class Positions {
 public:
  // Throws invalid_argument naming `what` for anything else.
  explicit Positions(nb::handle object, const char* what = "position_ids");

  PositionIds ids() const { return array_ ? positions_of(array_->in()) : positions_from(first_); }
  const Dims& shape() const { return ids_shape_; }  // of a run: empty

  // The positions of one list, [N]. Throws invalid_argument for another shape, and for a run.
  std::vector<int64_t> list() const;

 private:
  const char* what_;
  nb::object kept_;  // the array made from a list
  std::optional<Array> array_;
  int64_t first_ = 0;
  Dims ids_shape_;
};

// A new array of the kind, shape and dtype of `like` (what ropewalk._arrays.empty_like gives), and
// what is handed back in its place once it is full: for JAX an array of its own.
nb::object empty_like(nb::handle like);
nb::object finished(nb::object out, nb::handle like);

// A NumPy array with the memory of the tensor; where `like` is a torch tensor or an array of JAX,
// one of these.
nb::object array_from(Tensor tensor, nb::handle like = nb::none());
// The same of numbers, one dimension: float32, float64 or int64.
template <typename T>
nb::object array_from(const std::vector<T>& numbers) {
  constexpr DType kDtype = std::is_same_v<T, float>     ? DType::f32
                           : std::is_same_v<T, double>  ? DType::f64
                           : std::is_same_v<T, int32_t> ? DType::i32
                                                        : DType::i64;
  Tensor tensor = make_tensor(kDtype, {static_cast<int64_t>(numbers.size())});
  std::memcpy(tensor.bytes.data(), numbers.data(), tensor.bytes.size());
  return array_from(std::move(tensor));
}

// Releases the GIL for calls that take longer than handing it over does.
class KernelScope {
 public:
  explicit KernelScope(int64_t elements) {
    if (elements >= kElements) released_.emplace();
  }

 private:
  // 16 Ki elements: some two microseconds.
  static constexpr int64_t kElements = 1 << 14;
  std::optional<nb::gil_scoped_release> released_;
};

}  // namespace ropewalk::python
