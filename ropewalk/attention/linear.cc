#include "ropewalk/attention/linear.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>

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

// Some rows of a matrix.
struct RowRange {
  int64_t first = 0, count = 0;
};

const float* from_row(const BlasMatrix& matrix, int64_t row) {
  return matrix.data + (matrix.transposed ? row : row * matrix.leading);
}

// y [x.rows, w.rows]: the part of it where these rows of x and w meet.
void multiply_rows(const BlasMatrix& x, const RowRange& of_x, const BlasMatrix& w,
                   const RowRange& of_w, float* y) {
  cblas_sgemm(CblasRowMajor, x.transposed ? CblasTrans : CblasNoTrans,
              w.transposed ? CblasNoTrans : CblasTrans, blas_size(of_x.count),
              blas_size(of_w.count), blas_size(x.columns), 1, from_row(x, of_x.first),
              blas_size(x.leading), from_row(w, of_w.first), blas_size(w.leading), 0,
              y + of_x.first * w.rows + of_w.first, blas_size(w.rows));
}

// OpenBLAS takes a buffer for each thread that calls it, keeps it, and where there is no memory for
// it asks again for ever. So it is asked for here first. 128 MiB: 32 << 22 of its common_x86_64.h
// and common_arm64.h.
void reserve_blas_buffers(int threads) {
  static std::atomic<int> proven = 0;
  if (threads <= proven) return;
  const size_t size = static_cast<size_t>(threads) << 27;
  void* const buffers = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (buffers == MAP_FAILED) throw std::bad_alloc();
  munmap(buffers, size);
  proven = threads;
}

RowRange part(int64_t rows, int64_t size, int64_t index) {
  return {index * size, std::min(size, rows - index * size)};
}

// In pieces, the sizes of which OpenBLAS works at full speed on.
void multiply(const BlasMatrix& x, const BlasMatrix& w, float* y, const Parallel& parallel) {
  constexpr int64_t kRowsOfX = 512, kRowsOfW = 1024;
  constexpr double kSmallWork = 1 << 18;  // products, below which another thread costs more
  const double work =
      static_cast<double>(x.rows) * static_cast<double>(w.rows) * static_cast<double>(x.columns);
  const Parallel used = work < kSmallWork ? Parallel{.threads = 1} : parallel;
  const int64_t across = (w.rows + kRowsOfW - 1) / kRowsOfW,
                tasks = (x.rows + kRowsOfX - 1) / kRowsOfX * across;
  const auto callers = static_cast<int>(std::min<int64_t>(tasks, thread_count(used)));
  // One that has threads of its own, where no other is installed, takes the whole product.
  const bool own_threads = openblas_get_parallel() != 0;
  reserve_blas_buffers(own_threads ? 1 : callers);
  if (own_threads) return multiply_rows(x, {0, x.rows}, w, {0, w.rows}, y);
  parallel_for(used, tasks, [&](int64_t task) {
    multiply_rows(x, part(x.rows, kRowsOfX, task / across), w,
                  part(w.rows, kRowsOfW, task % across), y);
  });
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
                          const ConstTensorView& bias, const Parallel& parallel) {
  const BlasMatrix w = blas_matrix(weight);
  std::vector<float> y(static_cast<size_t>(x.rows * w.rows));
  if (y.empty()) return y;
  for (const int64_t size : {x.rows, w.rows, x.columns, x.leading, w.leading}) blas_size(size);
  multiply(x, w, y.data(), parallel);
  if (bias.shape.empty()) return y;
  const std::vector<float> b = copied(bias);
  for (size_t row = 0; row < y.size(); row += b.size()) {
    for (size_t c = 0; c < b.size(); ++c) y[row + c] += b[c];
  }
  return y;
}

}  // namespace ropewalk
