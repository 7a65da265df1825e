#include <algorithm>
#include <cstring>
#include <vector>

#include "ropewalk/kernels/rope/rope_job.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/rope/rope_kernel.cc"
#include <hwy/foreach_target.h>

#include "ropewalk/kernels/rope/rotate-inl.h"
#include "ropewalk/kernels/rows/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {

// One token's row, and the same doubled for interleaved windows: c, c and -s, s.
struct TokenRow {
  float* cos;
  float* sin;
  float* cos_twice;
  float* sin_twice;
};

HWY_INLINE float LoadNumber(const char* from, DType dtype) {
  return dtype == DType::f32    ? F32::LoadOne(from)
         : dtype == DType::bf16 ? BF16::LoadOne(from)
                                : F16::LoadOne(from);
}

void ReadTableRow(const RopeTableRows& table, int64_t position, int64_t pairs,
                  const TokenRow& row) {
  const int64_t index = position - table.first;
  const char* cos = table.cos + index * table.cos_strides[0];
  const char* sin = table.sin + index * table.sin_strides[0];
  for (int64_t i = 0; i < pairs; ++i) {
    row.cos[i] = LoadNumber(cos + i * table.cos_strides[1], table.cos_dtype);
    row.sin[i] = LoadNumber(sin + i * table.sin_strides[1], table.sin_dtype);
  }
  for (int64_t i = 0; i < pairs && table.negate_sin; ++i) row.sin[i] = -row.sin[i];
  for (int64_t i = 0; i < pairs && table.invert; ++i) {
    const double c = row.cos[i], s = row.sin[i], norm = c * c + s * s;
    row.cos[i] = static_cast<float>(c / norm);
    row.sin[i] = static_cast<float>(s / norm);
  }
}

HWY_NOINLINE void MakeRow(const RopeJob& job, int64_t batch, int64_t token, const TokenRow& row) {
  if (job.table != nullptr) {
    ReadTableRow(*job.table, job.positions->at(0, batch, token), job.pairs, row);
  } else {
    int64_t positions[16];
    for (int64_t axis = 0; axis < job.axes; ++axis)
      positions[axis] = job.positions->at(axis, batch, token);
    CosSinRow(*job.rows, positions, row.cos, row.sin);
  }
  if (!job.has_interleaved) return;
  for (int64_t i = 0; i < job.pairs; ++i) {
    row.cos_twice[2 * i] = row.cos_twice[2 * i + 1] = row.cos[i];
    row.sin_twice[2 * i] = -row.sin[i];
    row.sin_twice[2 * i + 1] = row.sin[i];
  }
}

template <class T>
HWY_INLINE void RotateWindows(const RopeJob& job, const Heads& heads, const TokenRow& row) {
  for (const RopeWindow& window : job.windows) {
    const int64_t bytes = window.offset * T::kBytes;
    const Heads here{heads.in + bytes, heads.out + bytes, heads.count, heads.in_stride,
                     heads.out_stride};
    if (window.pairing == Pairing::half_split) {
      RotateHalfSplit<T>(here, window.pairs, row.cos + window.first_pair,
                         row.sin + window.first_pair);
    } else {
      RotateInterleaved<T>(here, window.pairs, row.cos_twice + 2 * window.first_pair,
                           row.sin_twice + 2 * window.first_pair);
    }
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
    for (int64_t c = 0; c < job.head_dim; ++c)
      std::memcpy(scratch + c * T::kBytes, in + c * tensor.in_strides[3], bytes);
    RotateWindows<T>(job, {scratch, scratch, 1, 0, 0}, row);
    for (int64_t c = 0; c < job.head_dim; ++c) {
      const int64_t from = job.source_of.empty() ? c : job.source_of[static_cast<size_t>(c)];
      std::memcpy(out + c * tensor.out_strides[3], scratch + from * T::kBytes, bytes);
    }
  }
}

template <class T>
HWY_NOINLINE void RotateToken(const RopeJob& job, const RopeTensor& tensor, int64_t batch,
                              int64_t token, const TokenRow& row, char* scratch) {
  const Heads heads{tensor.in + batch * tensor.in_strides[0] + token * tensor.in_strides[1],
                    tensor.out + batch * tensor.out_strides[0] + token * tensor.out_strides[1],
                    tensor.heads, tensor.in_strides[2], tensor.out_strides[2]};
  if (!tensor.packed || !job.source_of.empty())
    return RotateGathered<T>(job, tensor, heads, row, scratch);
  RotateWindows<T>(job, heads, row);
  if (tensor.in_place) return;
  for (const auto& [offset, count] : job.gaps) {
    for (int64_t h = 0; h < heads.count; ++h) {
      std::memcpy(heads.out + h * heads.out_stride + offset * T::kBytes,
                  heads.in + h * heads.in_stride + offset * T::kBytes,
                  static_cast<size_t>(count * T::kBytes));
    }
  }
}

void RopeTokens(const RopeJob& job, int64_t begin, int64_t end) {
  // Rows of usual heads fit on the stack: a decode step allocates nothing.
  constexpr int64_t kFloats = 1536;
  HWY_ALIGN float small[kFloats];
  bool gathers = !job.source_of.empty();
  for (int t = 0; t < job.tensor_count; ++t) gathers |= !job.tensors[t].packed;
  const int64_t needed = 6 * job.pairs + (gathers ? job.head_dim : 0);
  std::vector<float> large(needed > kFloats ? static_cast<size_t>(needed) : 0);
  float* memory = large.empty() ? small : large.data();
  const TokenRow row{memory, memory + job.pairs, memory + 2 * job.pairs, memory + 4 * job.pairs};
  char* scratch = reinterpret_cast<char*>(memory + 6 * job.pairs);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t batch = i / job.length, token = i % job.length;
    MakeRow(job, batch, token, row);
    for (int t = 0; t < job.tensor_count; ++t) {
      const RopeTensor& tensor = job.tensors[t];
      if (tensor.dtype == DType::f32) RotateToken<F32>(job, tensor, batch, token, row, scratch);
      if (tensor.dtype == DType::bf16) RotateToken<BF16>(job, tensor, batch, token, row, scratch);
      if (tensor.dtype == DType::f16) RotateToken<F16>(job, tensor, batch, token, row, scratch);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropewalk {

HWY_EXPORT(RopeTokens);

void rope_tokens(const RopeJob& job, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(RopeTokens)(job, begin, end);
}

}  // namespace ropewalk
#endif
