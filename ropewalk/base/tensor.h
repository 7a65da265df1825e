#pragma once

#include <cstddef>
#include <vector>

#include "ropewalk/base/tensor_view.h"

namespace ropewalk {

// An array that owns its memory, row-major: what the file readers return.
struct Tensor {
  DType dtype = DType::f32;
  Dims shape;
  std::vector<std::byte> bytes;

  TensorView view() { return make_view(static_cast<void*>(bytes.data()), dtype, shape); }
  ConstTensorView view() const {
    return make_view(static_cast<const void*>(bytes.data()), dtype, shape);
  }
};

// A zero-filled tensor.
Tensor make_tensor(DType dtype, const Dims& shape);

// A row-major copy of any view, element for element.
Tensor contiguous_copy(const ConstTensorView& view);

// The same numbers in another floating-point type: f16, bf16, f32 and f64, rounded once to nearest,
// ties to even. Throws unsupported for other types.
Tensor converted(const ConstTensorView& view, DType dtype);

}  // namespace ropewalk
