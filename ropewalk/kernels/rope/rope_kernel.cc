#include "ropewalk/kernels/rope/rope_kernel.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/rope/rope_kernel.cc"
#include <hwy/foreach_target.h>

#include "ropewalk/kernels/rope/interleaved-inl.h"
#include "ropewalk/kernels/rope/token_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {

// Heads of a head-major tensor that share a token's row in registers.
constexpr int64_t kHeadsAtOnce = 4;

template <class T, class W>
HWY_INLINE void RotateWindows(const RopeJob& job, const Heads& heads, const TokenRow& row) {
  const float *cos = row.cos, *sin = row.sin;
  for (const RotaryWindow& window : job.windows) {
    const int64_t bytes = window.offset * T::kBytes, pairs = window.dim / 2;
    const Heads here{heads.in + bytes, heads.in_stride, heads.out + bytes,
                     heads.out_stride, heads.count,     heads.ahead};
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
    RotateWindows<T, Plain>(job, {scratch, 0, scratch, 0, 1, 0}, row);
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

// Tokens that are rotated at once: of one sequence where the tensors are head-major, else of any
// number of them.
struct Tokens {
  int64_t first, count;  // of batch * length
  const TokenRow* rows;
};

// Head by head, in which the tokens lie.
template <class T, class W>
HWY_NOINLINE void RotateHeadMajor(const RopeJob& job, const RopeTensor& tensor,
                                  const Tokens& tokens, char* scratch) {
  const auto [batch, first] = PlaceOf(job, tokens.first);
  const char* in = tensor.in + batch * tensor.in_strides[0] + first * tensor.in_strides[1];
  char* out = tensor.out + batch * tensor.out_strides[0] + first * tensor.out_strides[1];
  Heads heads{in, tensor.in_strides[2], out, tensor.out_strides[2], 0, job.prefetch};
  for (int64_t h = 0; h < tensor.heads; h += kHeadsAtOnce) {
    heads.count = std::min(kHeadsAtOnce, tensor.heads - h);
    heads.in = in;
    heads.out = out;
    for (int64_t t = 0; t < tokens.count; ++t) {
      RotateHeads<T, W>(job, tensor, heads, tokens.rows[t], scratch);
      heads.in += tensor.in_strides[1];
      heads.out += tensor.out_strides[1];
    }
    in += heads.count * tensor.in_strides[2];
    out += heads.count * tensor.out_strides[2];
  }
}

// Token by token.
template <class T, class W>
HWY_NOINLINE void RotateTokens(const RopeJob& job, const RopeTensor& tensor, const Tokens& tokens,
                               char* scratch) {
  auto [batch, at] = PlaceOf(job, tokens.first);
  Heads heads{tensor.in + batch * tensor.in_strides[0] + at * tensor.in_strides[1],
              tensor.in_strides[2],
              tensor.out + batch * tensor.out_strides[0] + at * tensor.out_strides[1],
              tensor.out_strides[2],
              tensor.heads,
              job.prefetch};
  for (int64_t t = 0; t < tokens.count; ++t) {
    RotateHeads<T, W>(job, tensor, heads, tokens.rows[t], scratch);
    heads.in += tensor.in_strides[1];
    heads.out += tensor.out_strides[1];
    if (++at < job.length) continue;
    at = 0;
    ++batch;
    heads.in = tensor.in + batch * tensor.in_strides[0];
    heads.out = tensor.out + batch * tensor.out_strides[0];
  }
}

template <class T, class W>
HWY_INLINE void RotateWith(const RopeJob& job, const RopeTensor& tensor, const Tokens& tokens,
                           char* scratch) {
  if (job.heads_first) return RotateHeadMajor<T, W>(job, tensor, tokens, scratch);
  RotateTokens<T, W>(job, tensor, tokens, scratch);
}

template <class T>
HWY_INLINE void RotateAs(const RopeJob& job, const RopeTensor& tensor, const Tokens& tokens,
                         char* scratch) {
  if (job.streamed) return RotateWith<T, Streamed>(job, tensor, tokens, scratch);
  RotateWith<T, Plain>(job, tensor, tokens, scratch);
}

HWY_INLINE void RotateTensor(const RopeJob& job, const RopeTensor& tensor, const Tokens& tokens,
                             char* scratch) {
  if (tensor.heads == 0) return;  // its data may be null
  if (tensor.dtype == DType::f32) return RotateAs<F32>(job, tensor, tokens, scratch);
  if (tensor.dtype == DType::f16) return RotateAs<F16>(job, tensor, tokens, scratch);
#if ROPEWALK_BF16_IN_HARDWARE
  if (job.bf16_in_hardware) return RotateAs<BF16InHardware>(job, tensor, tokens, scratch);
#endif
  RotateAs<BF16>(job, tensor, tokens, scratch);
}

void RopeTokens(const RopeJob& job, int64_t begin, int64_t end) {
  // Rows of usual heads fit on the stack: a decode step allocates nothing.
  constexpr int64_t kFloats = 4096 + 512;
  HWY_ALIGN float small[kFloats];
  const int64_t row = std::max<int64_t>(2 * job.pairs, 1);
  int64_t most = std::min(end - begin, job.heads_first ? kTokensAtOnce : kTokensAtOnce / 2);
  if (!job.heads_first && most * row > 4096) most = std::max<int64_t>(4096 / row, 1);
  const int64_t needed = row * most + job.head_dim;
  std::vector<float> large(needed > kFloats ? static_cast<size_t>(needed) : 0);
  float* const memory = large.empty() ? small : large.data();
  char* const scratch = reinterpret_cast<char*>(memory + row * most);
  TokenRow rows[kTokensAtOnce];
  for (int64_t i = begin; i < end;) {
    Tokens tokens{i, std::min(most, end - i), rows};
    if (job.heads_first) tokens.count = std::min(tokens.count, job.length - PlaceOf(job, i).at);
    FindAllRows(job, i, tokens.count, memory, rows);
    for (int t = 0; t < job.tensor_count; ++t) {
      RotateTensor(job, job.tensors[t], tokens, scratch);
    }
    i += tokens.count;
  }
  if (job.streamed) hwy::FlushStream();
}

void RowsOfTokens(const RopeJob& job, int64_t begin, int64_t end, float* memory) {
  TokenRow rows[kTokensAtOnce];
  for (int64_t i = begin; i < end;) {
    const auto [batch, first] = PlaceOf(job, i);
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
