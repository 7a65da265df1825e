// What is handed back, and the words about arrays.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include "python/native/arguments.h"
#include "python/native/arrays.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
namespace {

// In the order of DType; "" for what NumPy has no name for.
constexpr const char* kNames[] = {"bool",        "uint8",   "int8",     "uint16",  "int16",
                                  "uint32",      "int32",   "uint64",   "int64",   "float8_e4m3fn",
                                  "float8_e5m2", "float16", "bfloat16", "float32", "float64"};
static_assert(std::size(kNames) == static_cast<size_t>(DType::f64) + 1);

nb::dlpack::dtype dlpack_type(DType dtype) {
  const bool floating = is_floating(dtype) && dtype != DType::bf16;
  const bool is_signed =
      dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
  const dlpack::Code code = floating                  ? dlpack::kFloat
                            : dtype == DType::boolean ? dlpack::kBool
                            : is_signed               ? dlpack::kInt
                                                      : dlpack::kUInt;  // the bits of bfloat16
  return {code, static_cast<uint8_t>(8 * size_in_bytes(dtype)), 1};
}

nb::object helper(const char* name) { return nb::module_::import_("ropewalk._arrays").attr(name); }

}  // namespace

const char* array_name(DType dtype) { return kNames[static_cast<size_t>(dtype)]; }

std::optional<DType> dtype_named(std::string_view name) {
  const auto* known = std::find(std::begin(kNames), std::end(kNames), name);
  if (known == std::end(kNames)) return std::nullopt;
  return static_cast<DType>(known - std::begin(kNames));
}

std::string in_words(const ConstTensorView& view) {
  return fmt::format("{} of shape {} with strides {}", array_name(view.dtype),
                     to_string(view.shape), to_string(view.strides));
}

DType float_dtype(nb::handle dtype) {
  std::string text =
      utf8(nb::hasattr(dtype, "__name__") ? dtype.attr("__name__") : nb::borrow(dtype));
  if (text.starts_with("torch.")) text.erase(0, 6);
  const std::optional<DType> named = dtype_named(text);
  if (named == DType::f32 || named == DType::f16 || named == DType::bf16) return *named;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("dtype: expected float32, float16 or bfloat16, found {}", escaped(text)));
}

nb::object empty_like(nb::handle like) { return helper("empty_like")(like); }

nb::object finished(nb::object out, nb::handle like) { return helper("finished")(out, like); }

nb::object array_from(Tensor tensor, nb::handle like) {
  auto owned = std::make_unique<Tensor>(std::move(tensor));
  const DType dtype = owned->dtype;
  size_t shape[kMaxRank] = {};
  const auto rank = static_cast<size_t>(owned->shape.size());
  for (size_t i = 0; i < rank; ++i)
    shape[i] = static_cast<size_t>(owned->shape[static_cast<int>(i)]);
  // NumPy's arrays have an address, even those of no numbers.
  static char nothing[64];
  void* data = owned->bytes.empty() ? static_cast<void*>(nothing) : owned->bytes.data();
  const nb::capsule owner(owned.release(),
                          [](void* kept) noexcept { delete static_cast<Tensor*>(kept); });
  const nb::ndarray<nb::numpy> array(data, rank, shape, owner, nullptr, dlpack_type(dtype));
  return helper("result")(array, dtype == DType::bf16, like);
}

}  // namespace ropewalk::python
