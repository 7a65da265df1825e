#include "ropewalk/attention/linear.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <cblas.h>
#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk {
namespace {

std::vector<float> copied(const ConstTensorView& view) {
  const Tensor tensor = contiguous_copy(view);
  std::vector<float> numbers(tensor.bytes.size() / sizeof(float));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

blasint blas_size(int64_t size) {
  if (size > std::numeric_limits<blasint>::max()) {
    throw Error(ErrorCode::unsupported,
                fmt::format("a matrix of size {} is too large for BLAS", size));
  }
  return static_cast<blasint>(size);
}

bool aligned(const ConstTensorView& view) {
  return reinterpret_cast<uintptr_t>(view.data) % alignof(float) == 0;
}

// Whether lines of `length` numbers, `step` apart, are what BLAS takes; a single line always is.
bool usable(int64_t inner_stride, int64_t length, int64_t step, int64_t lines) {
  return (inner_stride == 1 || length <= 1) && (lines <= 1 || step >= std::max<int64_t>(1, length));
}

int64_t leading(int64_t length, int64_t step, int64_t lines) {
  return lines <= 1 ? std::max<int64_t>(1, length) : step;
}

}  // namespace

BlasMatrix blas_matrix(const ConstTensorView& view) {
  const int64_t rows = view.shape[0], columns = view.shape[1];
  const int64_t down = view.strides[0], across = view.strides[1];
  BlasMatrix matrix{static_cast<const float*>(view.data), rows, columns};
  if (aligned(view) && usable(across, columns, down, rows)) {
    matrix.leading = leading(columns, down, rows);
  } else if (aligned(view) && usable(down, rows, across, columns)) {
    matrix.leading = leading(rows, across, columns);
    matrix.transposed = true;
  } else {
    matrix.copy = copied(view);
    matrix.data = matrix.copy.data();
    matrix.leading = std::max<int64_t>(1, columns);
  }
  return matrix;
}

BlasMatrix blas_tokens(const ConstTensorView& view) {
  const int64_t batch = view.shape[0], length = view.shape[1], channels = view.shape[2];
  const Dims rows_shape{batch * length, channels};
  if (batch == 1) {
    return blas_matrix({view.data, view.dtype, rows_shape, {view.strides[1], view.strides[2]}});
  }
  const bool even = length == 1 || view.strides[0] == length * view.strides[1];
  if (even) {
    const int64_t down = length == 1 ? view.strides[0] : view.strides[1];
    return blas_matrix({view.data, view.dtype, rows_shape, {down, view.strides[2]}});
  }
  BlasMatrix matrix{nullptr, batch * length, channels, std::max<int64_t>(1, channels),
                    false,   copied(view)};
  matrix.data = matrix.copy.data();
  return matrix;
}

std::vector<float> linear(const BlasMatrix& x, const ConstTensorView& weight,
                          const ConstTensorView& bias) {
  const BlasMatrix w = blas_matrix(weight);
  std::vector<float> y(static_cast<size_t>(x.rows * w.rows));
  if (y.empty()) return y;
  cblas_sgemm(CblasRowMajor, x.transposed ? CblasTrans : CblasNoTrans,
              w.transposed ? CblasNoTrans : CblasTrans, blas_size(x.rows), blas_size(w.rows),
              blas_size(x.columns), 1, x.data, blas_size(x.leading), w.data, blas_size(w.leading),
              0, y.data(), blas_size(w.rows));
  if (bias.shape.empty()) return y;
  const std::vector<float> b = copied(bias);
  for (size_t row = 0; row < y.size(); row += b.size()) {
    for (size_t c = 0; c < b.size(); ++c) y[row + c] += b[c];
  }
  return y;
}

}  // namespace ropewalk
