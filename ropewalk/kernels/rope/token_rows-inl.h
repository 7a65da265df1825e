// The rows of the tokens of a job, found or made. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROPE_TOKEN_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROPE_TOKEN_ROWS_INL_H_
#undef ROPEWALK_KERNELS_ROPE_TOKEN_ROWS_INL_H_
#else
#define ROPEWALK_KERNELS_ROPE_TOKEN_ROWS_INL_H_
#endif

#include <algorithm>

#include "ropewalk/kernels/rope/rope_kernel.h"
#include "ropewalk/kernels/rows/rows-inl.h"
#include "ropewalk/kernels/simd/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where token number `token` of all lies. A call of one token is too short for divisions.
struct Place {
  int64_t batch, at;
};

HWY_INLINE Place PlaceOf(const RopeJob& job, int64_t token) {
  if (token < job.length) return {0, token};
  return {token / job.length, token % job.length};
}

// One token's row.
struct TokenRow {
  const float* cos;
  const float* sin;
};

HWY_INLINE float LoadNumber(const char* from, DType dtype) {
  return dtype == DType::f32    ? F32::LoadOne(from)
         : dtype == DType::bf16 ? BF16::LoadOne(from)
                                : F16::LoadOne(from);
}

// The row of a caller's table: where it lies if it can be used as it is, else a copy in `memory`.
TokenRow ReadTableRow(const RopeTableRows& table, int64_t position, int64_t pairs, float* memory) {
  const int64_t index = position - table.first;
  const char* cos = table.cos + index * table.cos_strides[0];
  const char* sin = table.sin + index * table.sin_strides[0];
  if (table.as_it_is) {
    return {reinterpret_cast<const float*>(cos), reinterpret_cast<const float*>(sin)};
  }
  float *const row_cos = memory, *const row_sin = memory + pairs;
  for (int64_t i = 0; i < pairs; ++i) {
    row_cos[i] = LoadNumber(cos + i * table.cos_strides[1], table.cos_dtype);
    row_sin[i] = LoadNumber(sin + i * table.sin_strides[1], table.sin_dtype);
  }
  for (int64_t i = 0; i < pairs && table.negate_sin; ++i) row_sin[i] = -row_sin[i];
  for (int64_t i = 0; i < pairs && table.invert; ++i) {
    const double c = row_cos[i], s = row_sin[i], norm = c * c + s * s;
    row_cos[i] = static_cast<float>(c / norm);
    row_sin[i] = static_cast<float>(s / norm);
  }
  return {row_cos, row_sin};
}

// Most tokens whose rows are made at once: with head-major tensors, what a head is read in.
constexpr int64_t kTokensAtOnce = 64;

// Rows made for the tokens of one sequence from `first` on, into `memory`.
void MakeRows(const RopeJob& job, int64_t batch, int64_t first, int64_t count, float* memory,
              TokenRow* rows) {
  const int64_t stride = 2 * job.pairs;
  for (int64_t t = 0; t < count;) {
    int64_t positions[16];
    for (int64_t axis = 0; axis < job.axes; ++axis) {
      positions[axis] = job.positions->at(axis, batch, first + t);
    }
    int64_t run = 1;  // tokens at consecutive positions
    if (job.steps->rows > 0) {
      while (t + run < count &&
             job.positions->at(0, batch, first + t + run) - run == positions[0]) {
        ++run;
      }
    }
    float* const cos = memory + t * stride;
    if (run > 1) {
      CosSinRun<1>(*job.rows, *job.steps, positions[0], run, stride, cos, cos + job.pairs);
    } else {
      CosSinRow(*job.rows, positions, cos, cos + job.pairs);
    }
    for (int64_t r = t; r < t + run; ++r) {
      rows[r] = {memory + r * stride, memory + r * stride + job.pairs};
    }
    t += run;
  }
}

HWY_NOINLINE void FindRows(const RopeJob& job, int64_t batch, int64_t first, int64_t count,
                           float* memory, TokenRow* rows) {
  if (job.rows != nullptr) return MakeRows(job, batch, first, count, memory, rows);
  for (int64_t t = 0; t < count; ++t) {
    if (job.table != nullptr) {
      rows[t] = ReadTableRow(*job.table, job.positions->at(0, batch, first + t), job.pairs,
                             memory + 2 * t * job.pairs);
    } else {
      const float* row =
          job.token_rows + batch * job.token_rows_per_batch + (first + t) * 2 * job.pairs;
      rows[t] = {row, row + job.pairs};
    }
  }
}

// The rows of `count` tokens from number `first` of all on.
HWY_INLINE void FindAllRows(const RopeJob& job, int64_t first, int64_t count, float* memory,
                            TokenRow* rows) {
  auto [batch, at] = PlaceOf(job, first);
  for (int64_t t = 0; t < count; ++batch, at = 0) {
    const int64_t here = std::min(count - t, job.length - at);
    FindRows(job, batch, at, here, memory + 2 * t * job.pairs, rows + t);
    t += here;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
