#pragma once

#include <cstdint>
#include <utility>

#include "ropewalk/base/dims.h"
#include "ropewalk/base/dtype.h"

namespace ropewalk {

// Somebody else's memory seen as an array: any rank up to 8, any strides (in elements, negative
// too), any alignment. A view never owns what it shows.
template <typename Pointer>
struct BasicTensorView {
  Pointer data = nullptr;
  DType dtype = DType::f32;
  Dims shape;
  Dims strides;  // in elements
};

using ConstTensorView = BasicTensorView<const void*>;

struct TensorView : BasicTensorView<void*> {
  operator ConstTensorView() const { return {data, dtype, shape, strides}; }
};

// Row-major strides of a shape: the last dimension varies fastest.
Dims contiguous_strides(const Dims& shape);

// A row-major view of memory.
TensorView make_view(void* data, DType dtype, const Dims& shape);
ConstTensorView make_view(const void* data, DType dtype, const Dims& shape);

// Product of the shape. Throws invalid_argument for a negative dimension or a product over 2^62.
int64_t num_elements(const Dims& shape);

bool is_contiguous(const ConstTensorView& view);

// The bytes of a row-major view that has some and passes check_view; 0 for any other. Quicker than
// check_view, for calls of microseconds.
int64_t contiguous_bytes(const ConstTensorView& view);

// First byte and one past the last byte that a view touches ({data, data} when it is empty).
// Throws invalid_argument when the extent does not fit in the address space.
std::pair<const char*, const char*> byte_range(const ConstTensorView& view);

// The same memory with its dimensions in another order: axis i of the result is axis order[i].
ConstTensorView permuted(const ConstTensorView& view, const Dims& order);
TensorView permuted(const TensorView& view, const Dims& order);

// Throws invalid_argument naming `what` unless the view has as many strides as dimensions, no
// negative dimension, a non-null pointer where it has elements, and an extent that fits. Returns
// its byte_range.
std::pair<const char*, const char*> check_view(const ConstTensorView& view, const char* what);

}  // namespace ropewalk
