#include "ropewalk/base/tensor.h"

#include <cstring>

#include <fmt/format.h>

#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

// Calls visit(address) for each element of the view in row-major order.
template <typename Visit>
void for_each_element(const ConstTensorView& view, Visit visit) {
  const int rank = view.shape.size();
  const auto size = static_cast<int64_t>(size_in_bytes(view.dtype));
  Dims index = view.shape;
  for (int i = 0; i < rank; ++i) index[i] = 0;
  const char* address = static_cast<const char*>(view.data);
  for (int64_t left = num_elements(view.shape); left > 0; --left) {
    visit(address);
    for (int i = rank - 1; i >= 0; --i) {
      address += view.strides[i] * size;
      if (++index[i] < view.shape[i]) break;
      address -= index[i] * view.strides[i] * size;
      index[i] = 0;
    }
  }
}

template <typename T>
T load(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

double load_number(const void* address, DType dtype) {
  switch (dtype) {
    case DType::f16:
      return float_from_f16(load<uint16_t>(address));
    case DType::bf16:
      return float_from_bf16(load<uint16_t>(address));
    case DType::f32:
      return load<float>(address);
    case DType::f64:
      return load<double>(address);
    default:
      throw Error(
          ErrorCode::unsupported,
          fmt::format("dtype to convert: expected f16, bf16, f32 or f64, found {}", name(dtype)));
  }
}

// A double rounded to float with the last bit sticky (round to odd), so that a second rounding to
// 16 bits gives what one rounding would have given.
float to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest)) {
    return nearest;
  }
  const uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (bits & 1) return nearest;
  const bool away = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return std::bit_cast<float>(away ? bits - 1 : bits + 1);
}

void store_number(std::byte* address, DType dtype, double value) {
  const auto put = [&](auto bits) { std::memcpy(address, &bits, sizeof(bits)); };
  switch (dtype) {
    case DType::f16:
      return put(f16_from_float(to_odd(value)));
    case DType::bf16:
      return put(bf16_from_float(to_odd(value)));
    case DType::f32:
      return put(static_cast<float>(value));
    case DType::f64:
      return put(value);
    default:
      throw Error(ErrorCode::unsupported,
                  fmt::format("dtype to convert to: expected f16, bf16, f32 or f64, found {}",
                              name(dtype)));
  }
}

// As the other conversions do, makes a signalling NaN quiet.
float quiet_float_from_bf16(uint16_t half) {
  const uint32_t bits = static_cast<uint32_t>(half) << 16;
  const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  return std::bit_cast<float>(bits | (is_nan ? 0x00400000 : 0));
}

// From float32 or to it, of numbers side by side: in a loop of its own, many times as fast. Returns
// whether it was such a case.
bool convert_run(const ConstTensorView& view, DType dtype, std::byte* out) {
  if (!is_contiguous(view) || reinterpret_cast<uintptr_t>(view.data) % 4 != 0) return false;
  const int64_t count = num_elements(view.shape);
  const auto run = [&](const auto* from, auto* to, auto convert) {
    for (int64_t i = 0; i < count; ++i) to[i] = convert(from[i]);
    return true;
  };
  const auto* const halves = static_cast<const uint16_t*>(view.data);
  const auto* const floats = static_cast<const float*>(view.data);
  auto* const to_halves = reinterpret_cast<uint16_t*>(out);
  auto* const to_floats = reinterpret_cast<float*>(out);
  if (dtype == DType::f32) {
    if (view.dtype == DType::bf16) return run(halves, to_floats, quiet_float_from_bf16);
    if (view.dtype == DType::f16) return run(halves, to_floats, float_from_f16);
  }
  if (view.dtype == DType::f32) {
    if (dtype == DType::bf16) return run(floats, to_halves, bf16_from_float);
    if (dtype == DType::f16) return run(floats, to_halves, f16_from_float);
  }
  return false;
}

}  // namespace

Tensor make_tensor(DType dtype, const Dims& shape) {
  Tensor tensor{dtype, shape, {}};
  tensor.bytes.resize(static_cast<size_t>(num_elements(shape)) * size_in_bytes(dtype));
  return tensor;
}

Tensor contiguous_copy(const ConstTensorView& view) {
  Tensor copy = make_tensor(view.dtype, view.shape);
  std::byte* out = copy.bytes.data();
  const size_t size = size_in_bytes(view.dtype);
  if (is_contiguous(view)) {
    if (!copy.bytes.empty()) std::memcpy(out, view.data, copy.bytes.size());
    return copy;
  }
  for_each_element(view, [&](const char* address) {
    std::memcpy(out, address, size);
    out += size;
  });
  return copy;
}

Tensor converted(const ConstTensorView& view, DType dtype) {
  if (view.dtype == dtype) return contiguous_copy(view);
  Tensor copy = make_tensor(dtype, view.shape);
  std::byte* out = copy.bytes.data();
  if (convert_run(view, dtype, out)) return copy;
  for_each_element(view, [&](const char* address) {
    store_number(out, dtype, load_number(address, view.dtype));
    out += size_in_bytes(dtype);
  });
  return copy;
}

}  // namespace ropewalk
