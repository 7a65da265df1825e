#include "ropewalk/kernels/rope/rope_kernel.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/rope/rope_kernel.cc"
#include <hwy/foreach_target.h>

#include "ropewalk/kernels/rope/rotate-inl.h"
#include "ropewalk/kernels/rows/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {

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

// Heads of a head-major tensor that share a token's row in registers.
constexpr int64_t kHeadsAtOnce = 4;

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

template <class T, class W>
HWY_INLINE void RotateWindows(const RopeJob& job, const Heads& heads, const TokenRow& row) {
  const float *cos = row.cos, *sin = row.sin;
  for (const RotaryWindow& window : job.windows) {
    const int64_t bytes = window.offset * T::kBytes, pairs = window.dim / 2;
    const Heads here{heads.in + bytes, heads.out + bytes, heads.count,
                     heads.in_stride,  heads.out_stride,  heads.ahead};
    if (window.pairing == Pairing::half_split) {
      RotateHalfSplit<T, W>(here, pairs, cos, sin);
    } else {
      RotateInterleaved<T, W>(here, pairs, cos, sin);
    }
    cos += pairs;
    sin += pairs;
  }
}

// Channels that are not adjacent, or that change places: through a packed copy of each head.
template <class T>
void RotateGathered(const RopeJob& job, const RopeTensor& tensor, const Heads& heads,
                    const TokenRow& row, char* scratch) {
  const auto bytes = static_cast<size_t>(T::kBytes);
  for (int64_t h = 0; h < heads.count; ++h) {
    const char* in = heads.in + h * heads.in_stride;
    char* out = heads.out + h * heads.out_stride;
    for (int64_t c = 0; c < job.head_dim; ++c) {
      std::memcpy(scratch + c * T::kBytes, in + c * tensor.in_strides[3], bytes);
    }
    RotateWindows<T, Plain>(job, {scratch, scratch, 1, 0, 0, 0}, row);
    for (int64_t c = 0; c < job.head_dim; ++c) {
      const int64_t from = job.source_of.empty() ? c : job.source_of[static_cast<size_t>(c)];
      std::memcpy(out + c * tensor.out_strides[3], scratch + from * T::kBytes, bytes);
    }
  }
}

// Out of place, the channels outside all windows.
void CopyGaps(const RopeJob& job, const Heads& heads, int64_t bytes) {
  for (const auto& [offset, count] : std::span(job.gaps, static_cast<size_t>(job.gap_count))) {
    for (int64_t h = 0; h < heads.count; ++h) {
      std::memcpy(heads.out + h * heads.out_stride + offset * bytes,
                  heads.in + h * heads.in_stride + offset * bytes,
                  static_cast<size_t>(count * bytes));
    }
  }
}

template <class T, class W>
HWY_INLINE void RotateHeads(const RopeJob& job, const RopeTensor& tensor, const Heads& heads,
                            const TokenRow& row, char* scratch) {
  if (!tensor.packed || !job.source_of.empty()) {
    return RotateGathered<T>(job, tensor, heads, row, scratch);
  }
  RotateWindows<T, W>(job, heads, row);
  if (!tensor.in_place) CopyGaps(job, heads, T::kBytes);
}

// The tokens [first, first + count) of one sequence, token by token or, where that is how they lie
// in memory, head by head.
template <class T, class W>
HWY_NOINLINE void RotateTokens(const RopeJob& job, const RopeTensor& tensor, int64_t batch,
                               int64_t first, int64_t count, const TokenRow* rows, char* scratch) {
  const char* in = tensor.in + batch * tensor.in_strides[0] + first * tensor.in_strides[1];
  char* out = tensor.out + batch * tensor.out_strides[0] + first * tensor.out_strides[1];
  const int64_t at_once = job.heads_first ? kHeadsAtOnce : tensor.heads;
  Heads heads{in, out, at_once, tensor.in_strides[2], tensor.out_strides[2], job.prefetch};
  for (int64_t h = 0; h < tensor.heads; h += at_once) {
    heads.count = std::min(at_once, tensor.heads - h);
    heads.in = in;
    heads.out = out;
    for (int64_t t = 0; t < count; ++t) {
      RotateHeads<T, W>(job, tensor, heads, rows[t], scratch);
      heads.in += tensor.in_strides[1];
      heads.out += tensor.out_strides[1];
    }
    in += heads.count * tensor.in_strides[2];
    out += heads.count * tensor.out_strides[2];
  }
}

template <class T>
HWY_INLINE void RotateAs(const RopeJob& job, const RopeTensor& tensor, int64_t batch, int64_t first,
                         int64_t count, const TokenRow* rows, char* scratch) {
  if (job.streamed) {
    RotateTokens<T, Streamed>(job, tensor, batch, first, count, rows, scratch);
  } else {
    RotateTokens<T, Plain>(job, tensor, batch, first, count, rows, scratch);
  }
}

HWY_INLINE void RotateTensor(const RopeJob& job, const RopeTensor& tensor, int64_t batch,
                             int64_t first, int64_t count, const TokenRow* rows, char* scratch) {
  if (tensor.heads == 0) return;  // its data may be null
  if (tensor.dtype == DType::f32) {
    return RotateAs<F32>(job, tensor, batch, first, count, rows, scratch);
  }
  if (tensor.dtype == DType::f16) {
    return RotateAs<F16>(job, tensor, batch, first, count, rows, scratch);
  }
#if ROPEWALK_BF16_IN_HARDWARE
  if (job.bf16_in_hardware) {
    return RotateAs<BF16InHardware>(job, tensor, batch, first, count, rows, scratch);
  }
#endif
  RotateAs<BF16>(job, tensor, batch, first, count, rows, scratch);
}

void RopeTokens(const RopeJob& job, int64_t begin, int64_t end) {
  // Rows of usual heads fit on the stack: a decode step allocates nothing.
  constexpr int64_t kFloats = 4096 + 512;
  HWY_ALIGN float small[kFloats];
  const int64_t row = std::max<int64_t>(2 * job.pairs, 1);
  const int64_t at_once =
      job.heads_first ? kTokensAtOnce : std::clamp<int64_t>(4096 / row, 1, kTokensAtOnce / 2);
  const int64_t tokens = std::min(at_once, end - begin);
  const int64_t needed = row * tokens + job.head_dim;
  std::vector<float> large(needed > kFloats ? static_cast<size_t>(needed) : 0);
  float* const memory = large.empty() ? small : large.data();
  char* const scratch = reinterpret_cast<char*>(memory + row * tokens);
  TokenRow rows[kTokensAtOnce];
  for (int64_t i = begin; i < end;) {
    const int64_t batch = i / job.length, first = i % job.length;
    const int64_t count = std::min({tokens, end - i, job.length - first});
    FindRows(job, batch, first, count, memory, rows);
    for (int t = 0; t < job.tensor_count; ++t) {
      RotateTensor(job, job.tensors[t], batch, first, count, rows, scratch);
    }
    i += count;
  }
  if (job.streamed) hwy::FlushStream();
}

void RowsOfTokens(const RopeJob& job, int64_t begin, int64_t end, float* memory) {
  TokenRow rows[kTokensAtOnce];
  for (int64_t i = begin; i < end;) {
    const int64_t batch = i / job.length, first = i % job.length;
    const int64_t count = std::min({kTokensAtOnce, end - i, job.length - first});
    MakeRows(job, batch, first, count, memory + i * 2 * job.pairs, rows);
    i += count;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropewalk {

HWY_EXPORT(RopeTokens);
HWY_EXPORT(RowsOfTokens);

void rope_tokens(const RopeJob& job, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(RopeTokens)(job, begin, end);
}

void rope_token_rows(const RopeJob& job, int64_t begin, int64_t end, float* rows) {
  HWY_DYNAMIC_DISPATCH(RowsOfTokens)(job, begin, end, rows);
}

}  // namespace ropewalk
#endif
