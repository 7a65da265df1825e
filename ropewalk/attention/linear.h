#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_view.h"

namespace ropewalk {

// A matrix as BLAS takes it: row-major with rows `leading` apart, or the transpose of such a one.
struct BlasMatrix {
  const float* data = nullptr;
  int64_t rows = 0, columns = 0, leading = 1;
  bool transposed = false;
  std::vector<float> copy;  // what data shows, where the view's strides or alignment do not fit
};

// A view [rows, columns] float32 with any strides.
BlasMatrix blas_matrix(const ConstTensorView& view);

// A view [batch, seq, channels] float32 as [batch * seq, channels].
BlasMatrix blas_tokens(const ConstTensorView& view);

// The linear map of torch.nn.Linear: x W^T + bias, row-major [x.rows, W.rows]; `bias` [W.rows] or
// without a shape. It is cut into tasks by sizes alone, so that the bits do not depend on threads.
// Throws unsupported for a size that BLAS's 32-bit integers cannot hold, std::bad_alloc.
std::vector<float> linear(const BlasMatrix& x, const ConstTensorView& weight,
                          const ConstTensorView& bias, const Parallel& parallel = {});

}  // namespace ropewalk
