#include "ropewalk/capi/tensors.h"

#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/overlap.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/positions/check.h"

namespace ropewalk::capi {
namespace {

[[noreturn]] void refuse_unsupported(const std::string& why) {
  throw Error(ErrorCode::unsupported, why);
}

DType dtype_of(const ropewalk_tensor& tensor, const char* name) {
  if (tensor.dtype.lanes != 1) {
    refuse_unsupported(fmt::format("{}: expected one lane, found {}", name, tensor.dtype.lanes));
  }
  switch (tensor.dtype.code << 8 | tensor.dtype.bits) {
    case ROPEWALK_I8:
      return DType::i8;
    case ROPEWALK_I16:
      return DType::i16;
    case ROPEWALK_I32:
      return DType::i32;
    case ROPEWALK_I64:
      return DType::i64;
    case ROPEWALK_U8:
      return DType::u8;
    case ROPEWALK_U16:
      return DType::u16;
    case ROPEWALK_U32:
      return DType::u32;
    case ROPEWALK_U64:
      return DType::u64;
    case ROPEWALK_F16:
      return DType::f16;
    case ROPEWALK_F32:
      return DType::f32;
    case ROPEWALK_F64:
      return DType::f64;
    case ROPEWALK_BF16:
      return DType::bf16;
    case ROPEWALK_BOOL:
      return DType::boolean;
    default:
      break;
  }
  refuse_unsupported(
      fmt::format("{}: expected an element type of ropewalk_dtype, found DLPack's code {} of {} "
                  "bits",
                  name, tensor.dtype.code, tensor.dtype.bits));
}

void check_device(const ropewalk_tensor& tensor, const char* name) {
  constexpr int32_t kCpu = 1;
  if (tensor.device.device_type == kCpu) return;
  refuse_unsupported(fmt::format(
      "{}: expected a tensor in the memory of the CPU (DLPack's device_type 1), found device_type "
      "{}",
      name, static_cast<int32_t>(tensor.device.device_type)));
}

// One number of an integer tensor, whose bytes are row-major.
int64_t integer_at(const Tensor& values, size_t index) {
  const auto read = [&]<typename T>(T value) {
    std::memcpy(&value, values.bytes.data() + index * sizeof(T), sizeof(T));
    return static_cast<int64_t>(value);
  };
  switch (values.dtype) {
    case DType::i64:
      return read(int64_t{});
    case DType::i32:
      return read(int32_t{});
    default:
      return read(uint8_t{});
  }
}

ConstTensorView integer_view(const ropewalk_tensor* tensor, int rank, const char* name) {
  const ConstTensorView view = view_of(tensor, name);
  check_view(view, name);
  const bool integers = view.dtype == DType::i64 || view.dtype == DType::i32 ||
                        view.dtype == DType::u8 || view.dtype == DType::boolean;
  if (!integers || view.shape.size() != rank) {
    refuse(fmt::format("{}: expected bool, u8, i32 or i64 of {} dimensions, found {} {}", name,
                       rank, ropewalk::name(view.dtype), to_string(view.shape)));
  }
  check_tokens(num_elements(view.shape), name);
  return view;
}

void copy(const char* from, const TensorView& out, int axis, char* to) {
  const auto size = static_cast<int64_t>(size_in_bytes(out.dtype));
  if (axis == out.shape.size()) {
    std::memcpy(to, from, static_cast<size_t>(size));
    return;
  }
  const int64_t step = contiguous_strides(out.shape)[axis] * size;
  for (int64_t i = 0; i < out.shape[axis]; ++i) {
    copy(from + i * step, out, axis + 1, to + i * out.strides[axis] * size);
  }
}

}  // namespace

TensorView view_of(const ropewalk_tensor* tensor, const char* name) {
  const ropewalk_tensor& given = not_null(tensor, name, "a tensor");
  check_device(given, name);
  TensorView view;
  view.dtype = dtype_of(given, name);
  if (given.ndim < 0 || given.ndim > kMaxRank) {
    refuse(fmt::format("{}: expected 0..{} dimensions, found {}", name, kMaxRank, given.ndim));
  }
  if (given.ndim > 0 && given.shape == nullptr) refuse_null(name, "a shape");
  for (int i = 0; i < given.ndim; ++i) view.shape.push_back(given.shape[i]);
  if (given.strides == nullptr) {
    view.strides = contiguous_strides(view.shape);
  } else {
    for (int i = 0; i < given.ndim; ++i) view.strides.push_back(given.strides[i]);
  }
  if (given.data != nullptr) view.data = static_cast<char*>(given.data) + given.byte_offset;
  return view;
}

PositionIds positions_of(const ropewalk_positions* positions, int64_t length) {
  const ropewalk_positions& given = not_null(positions, "positions", "position ids or a run");
  if (given.ids != nullptr) {
    if (given.first != 0 || given.count != 0) {
      refuse("positions: expected ids or a run, found both; first and count of ids are 0");
    }
    return ropewalk::positions_of(view_of(given.ids, "position_ids"));
  }
  if (given.count != length) {
    refuse(fmt::format("positions: expected a run of {} positions, one for each token, found {}",
                       length, given.count));
  }
  return positions_from(given.first);
}

PositionShape shape_of(const ropewalk_positions* positions, const char* name) {
  const ropewalk_positions& given = not_null(positions, name, "position ids or a run");
  if (given.ids == nullptr) {
    if (given.count < 1) {
      refuse(fmt::format("{}: expected a run of at least 1 position, found {}", name, given.count));
    }
    return {1, given.count, {given.count}};
  }
  const Dims dims = view_of(given.ids, name).shape;
  const int rank = dims.size();
  if (rank < 1 || rank > 3) {
    refuse(
        fmt::format("{}: expected [S], [B, S] or [axes, B, S], found {}", name, to_string(dims)));
  }
  if (rank == 1) return {1, dims[0], dims};
  return {dims[rank - 2], dims[rank - 1], {dims[rank - 2], dims[rank - 1]}};
}

std::vector<int64_t> list_of(const ropewalk_positions* positions, const char* name) {
  const PositionShape shape = shape_of(positions, name);
  const PositionIds ids = positions_of(positions, shape.length);
  if (!ids.is_run() && ids.ids.shape.size() > 2) {
    refuse(fmt::format("{}: expected one position of a token, [S] or [B, S], found {}", name,
                       to_string(ids.ids.shape)));
  }
  check_tokens(num_elements(shape.dims), name);
  const PositionReader reader(ids, shape.batch, shape.length, 1);
  std::vector<int64_t> list;
  list.reserve(static_cast<size_t>(shape.batch * shape.length));
  for (int64_t b = 0; b < shape.batch; ++b) {
    for (int64_t s = 0; s < shape.length; ++s) list.push_back(reader.at(0, b, s));
  }
  return list;
}

std::vector<int64_t> integers_of(const ropewalk_tensor* tensor, int rank, const char* name) {
  const Tensor values = contiguous_copy(integer_view(tensor, rank, name));
  std::vector<int64_t> list(static_cast<size_t>(num_elements(values.shape)));
  for (size_t i = 0; i < list.size(); ++i) list[i] = integer_at(values, i);
  return list;
}

std::vector<uint8_t> marks_of(const ropewalk_tensor* tensor, int rank, const char* name) {
  const Tensor values = contiguous_copy(integer_view(tensor, rank, name));
  std::vector<uint8_t> mask(static_cast<size_t>(num_elements(values.shape)));
  for (size_t i = 0; i < mask.size(); ++i) {
    const int64_t value = integer_at(values, i);
    if (value < 0 || value > 2) {  // the largest TokenKind
      refuse(fmt::format("{}: index {}: expected a mark, 0, 1 or 2, found {}", name, i, value));
    }
    mask[i] = static_cast<uint8_t>(value);
  }
  return mask;
}

void check_out(const ConstTensorView& out, DType dtype, const Dims& shape, const char* name) {
  check_view(out, name);
  if (out.dtype != dtype || !(out.shape == shape)) {
    refuse(fmt::format("{}: expected {} {}, found {} {}", name, ropewalk::name(dtype),
                       to_string(shape), ropewalk::name(out.dtype), to_string(out.shape)));
  }
  if (may_alias_itself(out)) {
    refuse(fmt::format("{}: expected an address for each element, found strides {} of shape {}",
                       name, to_string(out.strides), to_string(out.shape)));
  }
}

void write(const ConstTensorView& values, const TensorView& out, const char* name) {
  check_out(out, values.dtype, values.shape, name);
  if (num_elements(out.shape) == 0) return;
  const auto* from = static_cast<const char*>(values.data);
  if (is_contiguous(out)) {
    const auto bytes = static_cast<size_t>(num_elements(out.shape)) * size_in_bytes(out.dtype);
    std::memcpy(out.data, from, bytes);
    return;
  }
  copy(from, out, 0, static_cast<char*>(out.data));
}

void write(const PositionArray& positions, const ropewalk_tensor* out) {
  write(positions.view(), view_of(out, "out"), "out");
}

}  // namespace ropewalk::capi
