// Products of a few rows of q, or of weights, and keys where they lie. Include guard as Highway
// wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_DECODE_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_DECODE_TILES_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_DECODE_TILES_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_DECODE_TILES_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "ropewalk/kernels/attention/attention_kernel.h"
#include "ropewalk/kernels/attention/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Keys that are read at once, each vector of q then serving four; rows of q that share what is
// read: as many as have registers; values that are read at once: sums are read and written once for
// them.
constexpr int kKeysAtOnce = 4;
constexpr int kValuesAtOnce = 16;
constexpr int kRowsAtOnce = kTileVectors == 4 ? 4 : 2;

// Keys by which those that are fetched are ahead of those that are read, where a head's rows follow
// one another.
constexpr int64_t kKeysAhead = 32;

// Eight bits, of a cache: the scale of a row is not among them.
struct I8 {
  static constexpr int64_t kBytes = 1;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const void* from) {
    const hn::Rebind<int8_t, D> d8;
    const hn::RebindToSigned<D> d32;
    return hn::ConvertTo(d, hn::PromoteTo(d32, LoadBytes(d8, from)));
  }
  static HWY_INLINE void LoadTwo(const char* from, VF& x0, VF& x1) {
    x0 = Load(DF(), from);
    x1 = Load(DF(), from + hn::Lanes(DF()));
  }
  static HWY_INLINE float LoadOne(const void* from) { return *static_cast<const int8_t*>(from); }
};

// Numbers that meet those of T, in the order in which T::LoadTwo gives them: the even ones of two
// vectors, then the odd ones, where T is bf16. And back.
template <class T>
constexpr bool kSplits = std::is_base_of_v<BF16, T>;

template <class T>
HWY_INLINE void SplitRow(float* x, int64_t count) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; kSplits<T> && c + 2 * lanes <= count; c += 2 * lanes) {
    VF even, odd;
    hn::LoadInterleaved2(d, x + c, even, odd);
    hn::Store(even, d, x + c);
    hn::Store(odd, d, x + c + lanes);
  }
}

template <class T>
HWY_INLINE void JoinRow(float* x, int64_t count) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; kSplits<T> && c + 2 * lanes <= count; c += 2 * lanes) {
    const VF even = hn::Load(d, x + c), odd = hn::Load(d, x + c + lanes);
    hn::StoreInterleaved2(even, odd, d, x + c);
  }
}

// Into the second cache: rows that lie whole pages apart share the few lines of their sets in the
// first.
HWY_INLINE void Fetch(const char* from, int64_t bytes) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i, 0, 2);
#else
  for (int64_t i = 0; i < bytes; i += 64) hwy::Prefetch(from + i);
#endif
}

// Where a row of one head lies.
HWY_INLINE const char* RowOfHead(const AttentionRows& rows, int64_t j, int64_t head) {
  return rows.data + rows.number(j) * rows.row_stride + head * rows.head_stride;
}

// A few rows of one head, and about where those begin that are fetched while these are read:
// without that the machine waits for memory and products in turn.
template <int kCount>
struct FewRows {
  const char* at[kCount];
  const char* ahead;
  int64_t ahead_stride;

  // Rows j .. j + kCount - 1 of `rows`, the last below `end` again where there are no more.
  void find(const AttentionRows& rows, int64_t j, int64_t end, int64_t head) {
    for (int i = 0; i < kCount; ++i) at[i] = RowOfHead(rows, std::min(j + i, end - 1), head);
  }
  // Fetches rows j, j + 1, ... of `rows`, of which there are `end`.
  void fetch(const AttentionRows& rows, int64_t j, int64_t end, int64_t head) {
    ahead = j < end ? RowOfHead(rows, j, head) : at[0];
    ahead_stride = j + 1 < end ? RowOfHead(rows, j + 1, head) - ahead : 0;
  }
  HWY_INLINE void fetch_part(int64_t i, int64_t from, int64_t bytes) const {
    Fetch(ahead + i * ahead_stride + from, bytes);
  }
};

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

// scores[r][0 .. 3] = q_r . k_j of kRows rows, split as K is, and four keys; where steps are pairs,
// of whole vectors.
template <class K, class Step, int kRows>
HWY_NOINLINE void FourDots(TileRows q, const FewRows<kKeysAtOnce>& keys, int64_t channels,
                           float* scores) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF sums[kRows][kKeysAtOnce];
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    ROPEWALK_UNROLL
    for (int j = 0; j < kKeysAtOnce; ++j) sums[r][j] = hn::Zero(d);
  }
  int64_t c = 0;
  for (; c + 2 * lanes <= channels; c += 2 * lanes) {
    VF x[kRows][2];
    ROPEWALK_UNROLL
    for (int r = 0; r < kRows; ++r) {
      x[r][0] = InRegister(hn::Load(d, q.data + r * q.stride + c));
      x[r][1] = InRegister(hn::Load(d, q.data + r * q.stride + c + lanes));
    }
    ROPEWALK_UNROLL
    for (int j = 0; j < kKeysAtOnce; ++j) {
      VF k0, k1;
      K::LoadTwo(keys.at[j] + c * K::kBytes, k0, k1);
      keys.fetch_part(j, c * K::kBytes, 2 * lanes * K::kBytes);
      k0 = InRegister(k0), k1 = InRegister(k1);
      ROPEWALK_UNROLL
      for (int r = 0; r < kRows; ++r) {
        sums[r][j] = Step::Add(x[r][1], k1, Step::Add(x[r][0], k0, sums[r][j]));
      }
    }
  }
  for (; c + lanes <= channels; c += lanes) {
    ROPEWALK_UNROLL
    for (int j = 0; j < kKeysAtOnce; ++j) {
      const VF k = InRegister(K::Load(d, keys.at[j] + c * K::kBytes));
      ROPEWALK_UNROLL
      for (int r = 0; r < kRows; ++r) {
        sums[r][j] = Step::Add(hn::Load(d, q.data + r * q.stride + c), k, sums[r][j]);
      }
    }
  }
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    float* const to = scores + r * kAttentionKeys;
    StoreFourSums(sums[r], to);
    for (int64_t i = c; i < channels; ++i) {
      for (int j = 0; j < kKeysAtOnce; ++j) {
        to[j] += q.data[r * q.stride + i] * K::LoadOne(keys.at[j] + i * K::kBytes);
      }
    }
  }
}

// Rows of weights and where their sums are, the sums split as V is.
struct SumRows {
  const float* weights;  // kAttentionKeys from row to row
  float* to;
  int64_t to_stride;
};

// to[r] += sum over `count` keys of weights[r][key] values[key], for kTwos times two vectors of
// channels.
template <class V, int kRows, int kTwos>
HWY_INLINE void AddTwos(const SumRows& rows, const FewRows<kValuesAtOnce>& values, int64_t count,
                        int64_t channel) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF sums[kRows][2 * kTwos];
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    ROPEWALK_UNROLL
    for (int v = 0; v < 2 * kTwos; ++v) {
      sums[r][v] = hn::Load(d, rows.to + r * rows.to_stride + channel + v * lanes);
    }
  }
  for (int64_t j = 0; j < count; ++j) {
    const char* const row = values.at[j] + channel * V::kBytes;
    values.fetch_part(j, channel * V::kBytes, lanes * 2 * kTwos * V::kBytes);
    VF x[2 * kTwos];
    ROPEWALK_UNROLL
    for (int t = 0; t < kTwos; ++t) {
      V::LoadTwo(row + 2 * t * lanes * V::kBytes, x[2 * t], x[2 * t + 1]);
      x[2 * t] = InRegister(x[2 * t]), x[2 * t + 1] = InRegister(x[2 * t + 1]);
    }
    ROPEWALK_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const VF weight = InRegister(hn::Set(d, rows.weights[r * kAttentionKeys + j]));
      ROPEWALK_UNROLL
      for (int v = 0; v < 2 * kTwos; ++v) sums[r][v] = hn::MulAdd(weight, x[v], sums[r][v]);
    }
  }
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    ROPEWALK_UNROLL
    for (int v = 0; v < 2 * kTwos; ++v) {
      hn::Store(sums[r][v], d, rows.to + r * rows.to_stride + channel + v * lanes);
    }
  }
}

#if ROPEWALK_BF16_IN_HARDWARE
// The same of pairs of keys, their weights and values in bf16, which are dot products. The sums are
// split as BF16 is.
template <int kRows, int kTwos>
HWY_INLINE void AddTwosOfPairs(const SumRows& rows, const FewRows<kValuesAtOnce>& values,
                               int64_t count, int64_t channel) {
  const DF d;
  const hn::RebindToUnsigned<DF> du;
  const hn::ScalableTag<uint16_t> d16;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF sums[kRows][2 * kTwos];
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    ROPEWALK_UNROLL
    for (int v = 0; v < 2 * kTwos; ++v) {
      sums[r][v] = hn::Load(d, rows.to + r * rows.to_stride + channel + v * lanes);
    }
  }
  for (int64_t j = 0; j < count; j += 2) {
    VF x[2 * kTwos];
    ROPEWALK_UNROLL
    for (int t = 0; t < kTwos; ++t) {
      const int64_t at = 2 * (channel + 2 * t * lanes);
      values.fetch_part(j, at, 4 * lanes);
      values.fetch_part(j + 1, at, 4 * lanes);
      const auto a = LoadBytes(du, values.at[j] + at);
      // A key that is not there has weight 0, and its value is not to be one that it hides.
      const auto b = j + 1 < count ? LoadBytes(du, values.at[j + 1] + at) : hn::Zero(du);
      const auto half = [&](auto v) { return hn::BitCast(d16, v); };
      x[2 * t] = InRegister(hn::BitCast(d, hn::OddEven(half(hn::ShiftLeft<16>(b)), half(a))));
      x[2 * t + 1] = InRegister(hn::BitCast(d, hn::OddEven(half(b), half(hn::ShiftRight<16>(a)))));
    }
    ROPEWALK_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const VF weight = InRegister(hn::Set(d, rows.weights[r * kAttentionKeys + j / 2]));
      ROPEWALK_UNROLL
      for (int v = 0; v < 2 * kTwos; ++v) sums[r][v] = Bf16Step::Add(weight, x[v], sums[r][v]);
    }
  }
  ROPEWALK_UNROLL
  for (int r = 0; r < kRows; ++r) {
    ROPEWALK_UNROLL
    for (int v = 0; v < 2 * kTwos; ++v) {
      hn::Store(sums[r][v], d, rows.to + r * rows.to_stride + channel + v * lanes);
    }
  }
}

template <int kRows>
HWY_NOINLINE void AddPairsOfValues(const SumRows& rows, const FewRows<kValuesAtOnce>& values,
                                   int64_t count, int64_t channels) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  int64_t c = 0;
  for (; c + 4 * lanes <= channels; c += 4 * lanes) {
    AddTwosOfPairs<kRows, 2>(rows, values, count, c);
  }
  for (; c < channels; c += 2 * lanes) AddTwosOfPairs<kRows, 1>(rows, values, count, c);
}
#endif

// The same for all channels.
template <class V, int kRows>
HWY_NOINLINE void AddValues(const SumRows& rows, const FewRows<kValuesAtOnce>& values,
                            int64_t count, int64_t channels) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + 4 * lanes <= channels; c += 4 * lanes) {
    AddTwos<V, kRows, 2>(rows, values, count, c);
  }
  for (; c + 2 * lanes <= channels; c += 2 * lanes) {
    AddTwos<V, kRows, 1>(rows, values, count, c);
  }
  for (; c + lanes <= channels; c += lanes) {
    for (int r = 0; r < kRows; ++r) {
      float* const to = rows.to + r * rows.to_stride + c;
      VF sum = hn::Load(d, to);
      for (int64_t j = 0; j < count; ++j) {
        sum = hn::MulAdd(hn::Set(d, rows.weights[r * kAttentionKeys + j]),
                         V::Load(d, values.at[j] + c * V::kBytes), sum);
      }
      hn::Store(sum, d, to);
    }
  }
  for (; c < channels; ++c) {
    for (int r = 0; r < kRows; ++r) {
      float& sum = rows.to[r * rows.to_stride + c];
      for (int64_t j = 0; j < count; ++j) {
        sum += rows.weights[r * kAttentionKeys + j] * V::LoadOne(values.at[j] + c * V::kBytes);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
