#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/base/tensor_view.h"
#include "ropewalk/capi/types.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/positions/positions.h"

// DLPack's tensors as views.
namespace ropewalk::capi {

// Throws invalid_argument naming `name` for NULL, a shape that is not there or has more than 8
// dimensions; unsupported for another device, several lanes or an element type that ropewalk has
// not.
TensorView view_of(const ropewalk_tensor* tensor, const char* name);

// The positions of a call on `length` tokens. A run must have as many.
PositionIds positions_of(const ropewalk_positions* positions, int64_t length);

// Batch and length that the positions say themselves; a run is one sequence.
struct PositionShape {
  int64_t batch = 1, length = 0;
  Dims dims;  // [S] or [B, S]
};
PositionShape shape_of(const ropewalk_positions* positions, const char* name);

// Every position of a run or of ids [S] or [B, S], row-major.
std::vector<int64_t> list_of(const ropewalk_positions* positions, const char* name);

// A tensor of integers (bool, u8, i32, i64) row-major, of a rank.
std::vector<int64_t> integers_of(const ropewalk_tensor* tensor, int rank, const char* name);

// The same of small numbers: 0 and 1 of a mask, 0, 1 and 2 of the kinds of tokens.
std::vector<uint8_t> marks_of(const ropewalk_tensor* tensor, int rank, const char* name);

// Writes what was computed where the caller wants it. Throws invalid_argument for another dtype or
// shape, and for a view that names an address twice: before anything is written.
void check_out(const ConstTensorView& out, DType dtype, const Dims& shape, const char* name);
void write(const ConstTensorView& values, const TensorView& out, const char* name);
void write(const PositionArray& positions, const ropewalk_tensor* out);

}  // namespace ropewalk::capi
