#include "ropewalk/base/tensor_view.h"

#include <fmt/format.h>

#include "ropewalk/base/checked.h"

namespace ropewalk {

std::string to_string(const Dims& dims) {
  std::string out = "[";
  for (int i = 0; i < dims.size(); ++i) out += fmt::format("{}{}", i ? ", " : "", dims[i]);
  return out + "]";
}

Dims contiguous_strides(const Dims& shape) {
  Dims strides = shape;
  int64_t step = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = step;
    // Only the shape of an empty array can overflow here, and its strides lead nowhere.
    step = checked_mul(step, std::max<int64_t>(shape[i], 1)).value_or(1);
  }
  return strides;
}

TensorView make_view(void* data, DType dtype, const Dims& shape) {
  return TensorView{{data, dtype, shape, contiguous_strides(shape)}};
}

ConstTensorView make_view(const void* data, DType dtype, const Dims& shape) {
  return {data, dtype, shape, contiguous_strides(shape)};
}

int64_t num_elements(const Dims& shape) {
  int64_t product = 1;
  bool fits = true, empty = false;
  for (int64_t dim : shape) {
    if (dim < 0) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("negative dimension in shape {}", to_string(shape)));
    }
    empty |= dim == 0;
    const auto next = checked_mul(product, dim);
    fits &= next.has_value() && *next <= int64_t{1} << 62;
    if (fits) product = *next;
  }
  if (empty) return 0;
  if (!fits) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("shape {} has more elements than fit in memory", to_string(shape)));
  }
  return product;
}

bool is_contiguous(const ConstTensorView& view) {
  int64_t step = 1;
  for (int i = view.shape.size() - 1; i >= 0; --i) {
    if (view.shape[i] == 0) return true;
    if (view.shape[i] != 1 && view.strides[i] != step) return false;
    step = checked_mul(step, view.shape[i]).value_or(1);  // overflows only when empty
  }
  return true;
}

int64_t contiguous_bytes(const ConstTensorView& view) {
  if (view.data == nullptr || view.shape.size() != view.strides.size()) return 0;
  int64_t step = 1;
  bool fits = true;  // without a branch for each of the steps
  for (int i = view.shape.size() - 1; i >= 0; --i) {
    const int64_t dim = view.shape[i];
    fits &= (dim == 1) | ((dim > 1) & (view.strides[i] == step));
    fits &= !__builtin_mul_overflow(step, dim, &step);
  }
  const auto size = static_cast<int64_t>(size_in_bytes(view.dtype));
  return fits && step <= (int64_t{1} << 60) ? step * size : 0;
}

std::pair<const char*, const char*> byte_range(const ConstTensorView& view) {
  const char* base = static_cast<const char*>(view.data);
  const auto size = static_cast<int64_t>(size_in_bytes(view.dtype));
  int64_t low = 0, high = size, elements = 1;
  bool fits = true;  // without a branch for each of the steps
  for (int i = 0; i < view.shape.size(); ++i) {
    int64_t bytes, step;
    fits &= view.shape[i] > 0;
    fits &= !__builtin_mul_overflow(elements, view.shape[i], &elements);
    fits &= !__builtin_mul_overflow(view.strides[i], view.shape[i] - 1, &step);
    fits &= !__builtin_mul_overflow(step, size, &bytes);
    int64_t& end = bytes < 0 ? low : high;
    fits &= !__builtin_add_overflow(end, bytes, &end);
  }
  if (fits && elements <= int64_t{1} << 62) return {base + low, base + high};
  if (num_elements(view.shape) == 0) return {base, base};
  throw Error(ErrorCode::invalid_argument,
              fmt::format("strides {} of shape {} reach beyond the address space",
                          to_string(view.strides), to_string(view.shape)));
}

namespace {

template <typename View>
View permuted_view(const View& view, const Dims& order) {
  View result = view;
  for (int i = 0; i < order.size(); ++i) {
    result.shape[i] = view.shape[static_cast<int>(order[i])];
    result.strides[i] = view.strides[static_cast<int>(order[i])];
  }
  return result;
}

}  // namespace

ConstTensorView permuted(const ConstTensorView& view, const Dims& order) {
  return permuted_view(view, order);
}
TensorView permuted(const TensorView& view, const Dims& order) {
  return permuted_view(view, order);
}

std::pair<const char*, const char*> check_view(const ConstTensorView& view, const char* what) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{}: {}", what, why));
  };
  if (view.shape.size() != view.strides.size()) {
    fail(fmt::format("{} dimensions but {} strides", view.shape.size(), view.strides.size()));
  }
  if (view.data == nullptr) {
    int64_t elements = 0;
    try {
      elements = num_elements(view.shape);
    } catch (const Error& error) {
      fail(error.what());
    }
    if (elements > 0) fail("null data pointer");
  }
  try {
    return byte_range(view);
  } catch (const Error& error) {
    fail(error.what());
    throw;
  }
}

}  // namespace ropewalk
