#pragma once

#include <cstdint>

#include "ropewalk/base/tensor_view.h"

namespace ropewalk {

// The position of each token. Either a view of int64 (or int32) numbers, negative ones too, shaped
//   [S]           the same for every sequence of the batch
//   [B, S]        each token its own
//   [axes, B, S]  2-D and M-RoPE: one plane per axis of the spectrum
// where a B of 1 is the same row for every sequence, as transformers broadcasts position_ids; or,
// with no data, the run first, first + 1, ...
struct PositionIds {
  ConstTensorView ids{nullptr, DType::i64, {}, {}};
  int64_t first = 0;

  bool is_run() const { return ids.data == nullptr && ids.shape.empty(); }
};

inline PositionIds positions_from(int64_t first) { return {{nullptr, DType::i64, {}, {}}, first}; }
inline PositionIds positions_of(const ConstTensorView& ids) { return {ids, 0}; }

// Random access to checked position ids: at(axis, batch, token).
class PositionReader {
 public:
  // Throws invalid_argument unless the ids have one of the three shapes for this batch and length
  // and as many axes as asked (a single plane serves every axis).
  PositionReader(const PositionIds& positions, int64_t batch, int64_t length, int64_t axes);

  int64_t at(int64_t axis, int64_t batch, int64_t token) const {
    if (data_ == nullptr) return first_ + token;
    const int64_t index = axis * axis_stride_ + batch * batch_stride_ + token * token_stride_;
    return wide_ ? read<int64_t>(index) : read<int32_t>(index);
  }

 private:
  template <typename T>
  int64_t read(int64_t index) const {
    T value;
    __builtin_memcpy(&value, data_ + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
  }

  const char* data_ = nullptr;
  bool wide_ = true;
  int64_t first_ = 0, axis_stride_ = 0, batch_stride_ = 0, token_stride_ = 0;
};

}  // namespace ropewalk
