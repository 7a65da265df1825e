// One query meets keys where they lie. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_DECODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_DECODE_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_DECODE_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_DECODE_INL_H_
#endif

#include <algorithm>

#include "ropewalk/kernels/attention/meet-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Keys that are read at once: each vector of q then serves four.
constexpr int kKeysAtOnce = 4;

// The sums of the lanes of four vectors.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void StoreFourSums(const VF* v, float* to) {
  for (int i = 0; i < 4; ++i) to[i] = hn::GetLane(v[i]);
}
#else
using D4 = hn::CappedTag<float, 4>;
template <class V, class D>
HWY_INLINE hn::Vec<D4> FoldToFour(V v, D d) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return FoldToFour(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), half);
  }
}

HWY_INLINE void StoreFourSums(const VF* v, float* to) {
  const D4 d;
  const hn::CappedTag<uint64_t, 2> d64;
  hn::Vec<D4> f[4];
  ROPEWALK_UNROLL
  for (int i = 0; i < 4; ++i) f[i] = FoldToFour(v[i], DF());
  // Lanes 0 and 1 of the sum of a and b are of a, 2 and 3 of b, in halves.
  const auto pair = [&](auto a, auto b) {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  const auto low = hn::BitCast(d64, pair(f[0], f[1])), high = hn::BitCast(d64, pair(f[2], f[3]));
  hn::StoreU(hn::Add(hn::BitCast(d, hn::InterleaveLower(d64, low, high)),
                     hn::BitCast(d, hn::InterleaveUpper(d64, low, high))),
             d, to);
}
#endif

// Rows of one head lie a page apart where heads are side by side, and no machine sees that far
// ahead.
constexpr int64_t kKeysAhead = 16;

HWY_INLINE void FetchRow(const AttentionRows& rows, int64_t j, int64_t bytes) {
  const char* const at = rows.data + rows.number(j) * rows.row_stride;
  for (int64_t i = 0; i < bytes; i += 64) hwy::Prefetch(at + i);
}

// scores[r][0 .. 3] = q_r . k_j of kRows rows and four keys.
template <class T, int kRows>
HWY_INLINE void FourDots(TileRows q, const char* const* keys, int64_t channels, float* scores) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF sums[kRows][kKeysAtOnce];
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    ROPEWALK_UNROLL
    for (int j = 0; j < kKeysAtOnce; ++j) sums[r][j] = hn::Zero(d);
  }
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    VF k[kKeysAtOnce];
    ROPEWALK_UNROLL
    for (int j = 0; j < kKeysAtOnce; ++j) k[j] = InRegister(T::Load(d, keys[j] + c * T::kBytes));
    ROPEWALK_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const VF x = InRegister(hn::Load(d, q.data + r * q.stride + c));
      ROPEWALK_UNROLL
      for (int j = 0; j < kKeysAtOnce; ++j) sums[r][j] = hn::MulAdd(x, k[j], sums[r][j]);
    }
  }
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    float* const to = scores + r * kAttentionKeys;
    StoreFourSums(sums[r], to);
    for (int64_t i = c; i < channels; ++i) {
      for (int j = 0; j < kKeysAtOnce; ++j) {
        to[j] += q.data[r * q.stride + i] * T::LoadOne(keys[j] + i * T::kBytes);
      }
    }
  }
}

// to[r][...] = to[r][...] factors[r] + sum over keys of weights[r][key] values[key][...], for
// kVectors vectors of channels.
template <class T, int kRows, int kVectors>
HWY_INLINE void AddRows(const AttentionKeys& keys, const float* weights, const float* factors,
                        int64_t channel, float* to, int64_t to_stride) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF sums[kRows][kVectors];
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    ROPEWALK_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] =
          hn::Mul(hn::Load(d, to + r * to_stride + channel + v * lanes), hn::Set(d, factors[r]));
    }
  }
  for (int64_t j = 0; j < keys.count; ++j) {
    const char* row = keys.v.data + keys.v.number(j) * keys.v.row_stride + channel * T::kBytes;
    if (j + kKeysAhead < keys.count) {
      const int64_t part = kVectors * lanes * T::kBytes;
      const char* const ahead =
          keys.v.data + keys.v.number(j + kKeysAhead) * keys.v.row_stride + channel * T::kBytes;
      for (int64_t i = 0; i < part; i += 64) hwy::Prefetch(ahead + i);
    }
    VF value[kVectors];
    ROPEWALK_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      value[v] = InRegister(T::Load(d, row + v * lanes * T::kBytes));
    }
    ROPEWALK_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const VF weight = InRegister(hn::Set(d, weights[r * kAttentionKeys + j]));
      ROPEWALK_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(weight, value[v], sums[r][v]);
    }
  }
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    ROPEWALK_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(sums[r][v], d, to + r * to_stride + channel + v * lanes);
    }
  }
}

template <class K, int kRows>
HWY_NOINLINE void DotsOfRows(const Places& at, int64_t row, const AttentionKeys& keys) {
  const TileRows q{at.q + row * at.step_stride, at.step_stride};
  for (int64_t j = 0; j < keys.count; j += kKeysAtOnce) {
    const char* rows[kKeysAtOnce];
    for (int64_t i = j + kKeysAhead; i < std::min(j + kKeysAhead + kKeysAtOnce, keys.count); ++i) {
      FetchRow(keys.k, i, at.steps * K::kBytes);
    }
    for (int64_t i = 0; i < kKeysAtOnce; ++i) {  // the last one again where there are no more
      rows[i] = keys.k.data + keys.k.number(std::min(j + i, keys.count - 1)) * keys.k.row_stride;
    }
    FourDots<K, kRows>(q, rows, at.steps, at.scores + j);
  }
}

template <class T, int kRows>
HWY_NOINLINE void ValuesOfRows(const AttentionBlock& block, const Places& at, int64_t row,
                               const AttentionKeys& keys, const float* factors) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  float* const to = at.sums + row * at.value_stride;
  int64_t c = 0;
  for (; c + 4 * lanes <= block.value_dim; c += 4 * lanes) {
    AddRows<T, kRows, 4>(keys, at.scores, factors, c, to, at.value_stride);
  }
  for (; c + lanes <= block.value_dim; c += lanes) {
    AddRows<T, kRows, 1>(keys, at.scores, factors, c, to, at.value_stride);
  }
  for (; c < block.value_dim; ++c) {
    for (int r = 0; r < kRows; ++r) {
      float sum = to[r * at.value_stride + c] * factors[r];
      for (int64_t j = 0; j < keys.count; ++j) {
        sum += at.scores[r * kAttentionKeys + j] *
               T::LoadOne(keys.v.data + keys.v.number(j) * keys.v.row_stride + c * T::kBytes);
      }
      to[r * at.value_stride + c] = sum;
    }
  }
}

// Rows row .. row + kRows - 1, of one query, all of which see all the keys.
template <class K, class V, int kRows>
HWY_INLINE void MeetRows(const AttentionBlock& block, const Places& at, int64_t row,
                         const AttentionKeys& keys, const int32_t* tokens) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  const bool plain = block.scoring->plain();
  DotsOfRows<K, kRows>(at, row, keys);
  for (int64_t j = 0; j < std::min(kKeysAhead, keys.count); ++j) {
    FetchRow(keys.v, j, block.value_dim * V::kBytes);
  }
  const Columns columns{0, Filled(keys.count, lanes), 0, keys.count};
  float factors[kRows];
  for (int r = 0; r < kRows; ++r) {
    float* const s = at.scores + r * kAttentionKeys;
    if (!plain) MakeScores(block, keys, {0, row + r}, tokens, columns, s);
    HideScores(columns, s);
    factors[r] = SoftmaxRow<false>(columns, plain ? block.scoring->scale * kLog2E : kLog2E,
                                   {at.largest + row + r, at.totals + (row + r) * lanes}, s);
  }
  ValuesOfRows<V, kRows>(block, at, row, keys, factors);
}

template <class K, class V>
void MeetQueryAs(const AttentionBlock& block, const AttentionKeys& keys) {
  const Places at = PlacesOf(block);
  HWY_ALIGN int32_t tokens[kAttentionKeys] = {};
  if (!block.scoring->plain()) {
    for (int64_t j = 0; j < keys.count; ++j) {
      tokens[j] = static_cast<int32_t>(keys.token(j) - keys.token(0));
    }
  }
  int64_t row = 0;
  for (; row + 4 <= block.rows(); row += 4) MeetRows<K, V, 4>(block, at, row, keys, tokens);
  for (; row + 2 <= block.rows(); row += 2) MeetRows<K, V, 2>(block, at, row, keys, tokens);
  if (row < block.rows()) MeetRows<K, V, 1>(block, at, row, keys, tokens);
}

// Folds what `from` knows of other keys into `into`, of the same queries.
HWY_INLINE void MergeRow(const AttentionBlock& block, const Places& into, const Places& from,
                         int64_t row) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const float to_log2 = block.scoring->plain() ? block.scoring->scale * kLog2E : kLog2E;
  const float a = into.largest[row], b = from.largest[row];
  const float largest = a < b ? b : a;
  const float base = largest == kHiddenScore ? 0 : largest;
  const auto factor = [&](float m) {
    return hn::Set(d, m == largest ? 1 : Exp2One((m - base) * to_log2));
  };
  const VF of_into = factor(a), of_from = factor(b);
  const auto add = [&](float* to, const float* other) {
    hn::Store(hn::MulAdd(hn::Load(d, other), of_from, hn::Mul(hn::Load(d, to), of_into)), d, to);
  };
  into.largest[row] = largest;
  add(into.totals + row * lanes, from.totals + row * lanes);
  for (int64_t c = 0; c < into.value_stride; c += lanes) {
    add(into.sums + row * into.value_stride + c, from.sums + row * into.value_stride + c);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
