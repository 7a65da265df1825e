#include "ropewalk/encoding/position_ids.h"

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"

namespace ropewalk {

PositionReader::PositionReader(const PositionIds& positions, int64_t batch, int64_t length,
                               int64_t axes)
    : first_(positions.first) {
  const auto fail = [](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "position_ids: " + why);
  };
  if (positions.is_run()) {
    if (length > 0 && !checked_add(first_, length - 1)) {
      fail(fmt::format("{} positions from {} pass the end of int64", length, first_));
    }
    return;
  }
  const ConstTensorView& ids = positions.ids;
  check_view(ids, "position_ids");
  if (ids.dtype != DType::i64 && ids.dtype != DType::i32) {
    fail(fmt::format("expected i64 or i32, found {}", name(ids.dtype)));
  }
  const int rank = ids.shape.size();
  const auto wrong_shape = [&] {
    fail(fmt::format("expected [{1}], [{0}, {1}] or [{2}, {0}, {1}], found {3}", batch, length,
                     axes, to_string(ids.shape)));
  };
  if (rank < 1 || rank > 3) wrong_shape();
  if (ids.shape[rank - 1] != length) wrong_shape();
  const bool one_row = rank < 2 || ids.shape[rank - 2] == 1;
  if (!one_row && ids.shape[rank - 2] != batch) wrong_shape();
  if (rank == 3 && ids.shape[0] != axes) wrong_shape();
  data_ = static_cast<const char*>(ids.data);
  wide_ = ids.dtype == DType::i64;
  token_stride_ = ids.strides[rank - 1];
  batch_stride_ = one_row ? 0 : ids.strides[rank - 2];
  axis_stride_ = rank == 3 ? ids.strides[0] : 0;
}

}  // namespace ropewalk
