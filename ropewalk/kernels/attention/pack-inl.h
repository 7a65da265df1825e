// Rows of q, k and v as the tiles read them. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_PACK_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_PACK_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_PACK_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "ropewalk/kernels/attention/attention_kernel.h"
#include "ropewalk/kernels/attention/memory-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void ReadRowAs(const char* from, int64_t stride, int64_t count, float* to) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  if (stride == T::kBytes) {
    for (; c + lanes <= count; c += lanes) hn::StoreU(T::Load(d, from + c * stride), d, to + c);
  }
  for (; c < count; ++c) to[c] = T::LoadOne(from + c * stride);
}

// One row of channels as floats.
HWY_INLINE void ReadRow(const char* from, DType dtype, int64_t stride, int64_t count, float* to) {
  if (dtype == DType::f32) return ReadRowAs<F32>(from, stride, count, to);
  if (dtype == DType::bf16) return ReadRowAs<BF16>(from, stride, count, to);
  ReadRowAs<F16>(from, stride, count, to);
}

// One row of bf16 as it is, two numbers a step; a zero after an odd number of them.
HWY_INLINE void CopyPairs(const char* from, int64_t stride, int64_t count, float* to) {
  auto* out = reinterpret_cast<char*>(to);
  if (stride == 2) {
    std::memcpy(out, from, static_cast<size_t>(2 * count));
  } else {
    for (int64_t c = 0; c < count; ++c) std::memcpy(out + 2 * c, from + c * stride, 2);
  }
  if (count % 2 != 0) std::memset(out + 2 * count, 0, 2);
}

HWY_INLINE void ReadSteps(const AttentionBlock& block, const AttentionRows& rows, const char* from,
                          float* to) {
  if (block.bf16_products) return CopyPairs(from, rows.channel_stride, rows.channels, to);
  ReadRow(from, rows.dtype, rows.channel_stride, rows.channels, to);
}

// to[(c) width + j] = rows[j][c] for four rows.
HWY_INLINE void TransposeFour(const char* const* rows, int64_t steps, int64_t width, float* to) {
  int64_t c = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<float, 4> d;
  const hn::CappedTag<uint64_t, 2> d64;
  const auto wide = [&](auto v) { return hn::BitCast(d64, v); };
  for (; c + 4 <= steps; c += 4) {
    const auto r0 = LoadBytes(d, rows[0] + 4 * c), r1 = LoadBytes(d, rows[1] + 4 * c),
               r2 = LoadBytes(d, rows[2] + 4 * c), r3 = LoadBytes(d, rows[3] + 4 * c);
    const auto low01 = wide(hn::InterleaveLower(d, r0, r1)),
               low23 = wide(hn::InterleaveLower(d, r2, r3)),
               high01 = wide(hn::InterleaveUpper(d, r0, r1)),
               high23 = wide(hn::InterleaveUpper(d, r2, r3));
    float* at = to + c * width;
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), d, at);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), d, at + width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), d, at + 2 * width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), d, at + 3 * width);
  }
#endif
  for (; c < steps; ++c) {
    for (int64_t j = 0; j < 4; ++j) std::memcpy(to + c * width + j, rows[j] + 4 * c, 4);
  }
}

// Keys beside one another: [panel][step][key of the panel]. Keys that are not there are zeros.
HWY_INLINE void PackKeys(const AttentionBlock& block, const KeyPlaces& at,
                         const AttentionKeys& keys) {
  const int64_t width = PanelWidth();
  const bool as_it_is =
      keys.k.channel_stride == (block.bf16_products ? 2 : 4) &&
      (block.bf16_products ? block.head_dim % 2 == 0 : keys.k.dtype == DType::f32);
  for (int64_t j = 0; j < kAttentionKeys; j += 4) {
    const char* rows[4];
    float* const copies = at.scratch;
    if (j >= keys.count && j % width == 0) break;  // no tile reads a panel without a key
    for (int64_t i = 0; i < 4; ++i) {
      float* const copy = copies + i * at.step_stride;
      rows[i] = reinterpret_cast<const char*>(copy);
      if (j + i >= keys.count) {
        std::fill_n(copy, at.steps, 0.0f);
        continue;
      }
      const char* from = keys.k.data + keys.k.number(j + i) * keys.k.row_stride;
      if (as_it_is) {
        rows[i] = from;
      } else {
        ReadSteps(block, keys.k, from, copy);
      }
    }
    if (width >= 4) {
      TransposeFour(rows, at.steps, width, at.k + j / width * width * at.steps + j % width);
      continue;
    }
    for (int64_t i = 0; i < 4; ++i) {
      float* const to = at.k + (j + i) / width * width * at.steps + (j + i) % width;
      for (int64_t c = 0; c < at.steps; ++c) std::memcpy(to + c * width, rows[i] + 4 * c, 4);
    }
  }
}

// One row of values into its panels [panel][key][channel], zeros behind the last channel. Returns
// NaN in some lane where not all are finite.
HWY_INLINE VF SpreadRow(const float* row, int64_t channels, int64_t key_stride, float* to) {
  const DF d;
  const int64_t width = PanelWidth();
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF finite = hn::Zero(d);
  for (int64_t c = 0; c < channels; c += width, to += key_stride) {
    for (int64_t v = 0; v < width && c + v < channels; v += lanes) {
      const VF x = hn::LoadU(d, row + c + v);
      finite = hn::MulAdd(x, hn::Zero(d), finite);
      hn::Store(x, d, to + v);
    }
  }
  return finite;
}

// The same of two rows of bf16, their numbers in pairs.
HWY_INLINE VF SpreadPair(const char* even, const char* odd, int64_t channels, int64_t key_stride,
                         float* to) {
  const DF d;
  const hn::RebindToUnsigned<DF> du;
  const int64_t width = PanelWidth();
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF finite = hn::Zero(d);
  for (int64_t c = 0; c < channels; c += width, to += key_stride) {
    for (int64_t v = 0; v < width && c + v < channels; v += lanes) {
      const VF x = BF16::Load(d, even + 2 * (c + v)), y = BF16::Load(d, odd + 2 * (c + v));
      finite = hn::MulAdd(x, hn::Zero(d), hn::MulAdd(y, hn::Zero(d), finite));
      const auto pair = hn::Or(hn::ShiftRight<16>(hn::BitCast(du, x)), hn::BitCast(du, y));
      hn::Store(hn::BitCast(d, pair), d, to + v);
    }
  }
  return finite;
}

// Returns whether all values are finite.
HWY_INLINE bool PackValues(const AttentionBlock& block, const KeyPlaces& at,
                           const AttentionKeys& keys) {
  const DF d;
  const int64_t channels = block.value_dim, width = PanelWidth();
  const int64_t key_stride = kAttentionKeys * width;
  VF finite = hn::Zero(d);
  const auto source = [&](int64_t j) { return keys.v.data + keys.v.number(j) * keys.v.row_stride; };
  float *const first = at.scratch, *const second = at.scratch + at.value_stride;
  std::fill_n(first, 2 * at.value_stride, 0.0f);
  if (block.bf16_products) {
    for (int64_t j = 0; j < keys.count; j += 2) {
      CopyPairs(source(j), keys.v.channel_stride, channels, first);
      if (j + 1 < keys.count) {
        CopyPairs(source(j + 1), keys.v.channel_stride, channels, second);
      } else {
        std::fill_n(second, at.value_stride, 0.0f);
      }
      finite = hn::Add(finite, SpreadPair(reinterpret_cast<const char*>(first),
                                          reinterpret_cast<const char*>(second), channels,
                                          key_stride, at.v + j / 2 * width));
    }
  } else {
    const auto whole = static_cast<int64_t>(hn::Lanes(d));
    const bool as_it_is =
        keys.v.dtype == DType::f32 && keys.v.channel_stride == 4 && channels % whole == 0;
    for (int64_t j = 0; j < keys.count; ++j) {
      const char* from = source(j);
      if (!as_it_is) ReadRow(from, keys.v.dtype, keys.v.channel_stride, channels, first);
      const float* row = as_it_is ? reinterpret_cast<const float*>(from) : first;
      finite = hn::Add(finite, SpreadRow(row, channels, key_stride, at.v + j * width));
    }
  }
  return hn::AllTrue(d, hn::Eq(finite, hn::Zero(d)));
}

HWY_INLINE void PackTokens(const KeyPlaces& at, const AttentionKeys& keys) {
  for (int64_t j = 0; j < kAttentionKeys; ++j) {
    at.tokens[j] = j >= keys.count ? 0 : static_cast<int32_t>(keys.token(j) - keys.token(0));
  }
}

// Rows of a strided tensor, often whole pages apart, are fetched so many rows before their turn: no
// machine does by itself.
constexpr int64_t kRowsAhead = 8;

HWY_INLINE void FetchRow(const char* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) hwy::Prefetch(from + i);
}

// Queries row by row; rows that fill the last tile are zeros.
HWY_INLINE void PackQueries(const AttentionBlock& block, const Places& at, const AttentionRows& q) {
  const auto source = [&](int64_t r) {
    return q.data + q.number(r / block.group) * q.row_stride + r % block.group * q.head_stride;
  };
  const int64_t bytes = q.channels * q.channel_stride;
  for (int64_t r = 0; r < at.rows; ++r) {
    float* const to = at.q + r * at.step_stride;
    if (r + kRowsAhead < block.rows()) FetchRow(source(r + kRowsAhead), bytes);
    if (r >= block.rows()) {
      std::fill_n(to, at.step_stride, 0.0f);
      continue;
    }
    ReadSteps(block, q, source(r), to);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
