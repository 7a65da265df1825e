// The rotation of the heads of one token by one row. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#undef ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#else
#define ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#endif

#include <cstring>
#include <type_traits>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "ropewalk/kernels/simd/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The same window of each head of a token: channels adjacent, heads at any distance.
struct Heads {
  const char* in;
  char* out;
  int64_t count, in_stride, out_stride;  // bytes from head to head
  int64_t ahead;                         // bytes ahead to prefetch, 0: none
};

// One pair per lane: y_a = a c - b s, y_b = b c + a s. Products and sums are rounded one by one.
template <class V>
HWY_INLINE void RotateLanes(V a, V b, V c, V s, V& y_a, V& y_b) {
  y_a = hn::Sub(hn::Mul(a, c), hn::Mul(b, s));
  y_b = hn::Add(hn::Mul(b, c), hn::Mul(a, s));
}

HWY_INLINE void PrefetchRange(const char* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) hwy::Prefetch(from + i);
}

// 2 kTwos vectors of pairs from pair `first` on, for all heads: their cos and sin stay in
// registers.
template <class T, class W, int kTwos>
HWY_INLINE void HalfSplitBlock(const Heads& heads, int64_t pairs, int64_t first, const float* cos,
                               const float* sin) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  VF c[2 * kTwos], s[2 * kTwos];
  for (int t = 0; t < kTwos; ++t) {
    T::LoadRowTwo(cos + first + 2 * t * lanes, c[2 * t], c[2 * t + 1]);
    T::LoadRowTwo(sin + first + 2 * t * lanes, s[2 * t], s[2 * t + 1]);
  }
  const int64_t step = 2 * lanes * T::kBytes, to_high = pairs * T::kBytes;
  const char* in = heads.in + first * T::kBytes;
  char* out = heads.out + first * T::kBytes;
  for (int64_t h = 0; h < heads.count; ++h, in += heads.in_stride, out += heads.out_stride) {
    if (heads.ahead != 0) {
      PrefetchRange(in + heads.ahead, kTwos * step);
      PrefetchRange(in + heads.ahead + to_high, kTwos * step);
    }
    for (int t = 0; t < kTwos; ++t) {
      VF a0, a1, b0, b1, y_a0, y_a1, y_b0, y_b1;
      T::LoadTwo(in + t * step, a0, a1);
      T::LoadTwo(in + t * step + to_high, b0, b1);
      RotateLanes(a0, b0, c[2 * t], s[2 * t], y_a0, y_b0);
      RotateLanes(a1, b1, c[2 * t + 1], s[2 * t + 1], y_a1, y_b1);
      T::template StoreTwo<W>(y_a0, y_a1, out + t * step);
      T::template StoreTwo<W>(y_b0, y_b1, out + t * step + to_high);
    }
  }
}

// The same for one vector, which may be a small one.
template <class T, class D>
HWY_INLINE void HalfSplitVector(D d, const Heads& heads, int64_t pairs, int64_t first,
                                const float* cos, const float* sin) {
  const auto c = hn::LoadU(d, cos + first), s = hn::LoadU(d, sin + first);
  const int64_t to_high = pairs * T::kBytes;
  const char* in = heads.in + first * T::kBytes;
  char* out = heads.out + first * T::kBytes;
  for (int64_t h = 0; h < heads.count; ++h, in += heads.in_stride, out += heads.out_stride) {
    hn::Vec<D> y_a, y_b;
    RotateLanes(T::Load(d, in), T::Load(d, in + to_high), c, s, y_a, y_b);
    T::template Store<Plain>(y_a, d, out);
    T::template Store<Plain>(y_b, d, out + to_high);
  }
}

// The last `count` pairs, fewer than four, through buffers.
template <class T>
HWY_NOINLINE void HalfSplitTail(const Heads& heads, int64_t pairs, int64_t first, const float* cos,
                                const float* sin) {
  const hn::CappedTag<float, 4> d;
  const int64_t count = pairs - first;
  const auto bytes = static_cast<size_t>(count * T::kBytes);
  HWY_ALIGN float c[4] = {}, s[4] = {}, a[4] = {}, b[4] = {};
  std::memcpy(c, cos + first, static_cast<size_t>(count) * sizeof(float));
  std::memcpy(s, sin + first, static_cast<size_t>(count) * sizeof(float));
  for (int64_t h = 0; h < heads.count; ++h) {
    const int64_t low = first * T::kBytes, high = low + pairs * T::kBytes;
    std::memcpy(a, heads.in + h * heads.in_stride + low, bytes);
    std::memcpy(b, heads.in + h * heads.in_stride + high, bytes);
    for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
      char *const at_a = reinterpret_cast<char*>(a) + i * T::kBytes, *const at_b =
                                                                         reinterpret_cast<char*>(
                                                                             b) +
                                                                         i * T::kBytes;
      hn::Vec<decltype(d)> y_a, y_b;
      RotateLanes(T::Load(d, at_a), T::Load(d, at_b), hn::Load(d, c + i), hn::Load(d, s + i), y_a,
                  y_b);
      T::template Store<Plain>(y_a, d, at_a);
      T::template Store<Plain>(y_b, d, at_b);
    }
    std::memcpy(heads.out + h * heads.out_stride + low, a, bytes);
    std::memcpy(heads.out + h * heads.out_stride + high, b, bytes);
  }
}

template <class T, class W>
HWY_NOINLINE void RotateHalfSplit(const Heads& heads, int64_t pairs, const float* cos,
                                  const float* sin) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  int64_t first = 0;
  for (; first + 4 * lanes <= pairs; first += 4 * lanes) {
    HalfSplitBlock<T, W, 2>(heads, pairs, first, cos, sin);
  }
  for (; first + 2 * lanes <= pairs; first += 2 * lanes) {
    HalfSplitBlock<T, W, 1>(heads, pairs, first, cos, sin);
  }
  for (; first + lanes <= pairs; first += lanes) {
    HalfSplitVector<T>(DF(), heads, pairs, first, cos, sin);
  }
  const hn::CappedTag<float, 8> d8;
  const hn::CappedTag<float, 4> d4;
  if (hn::Lanes(d8) == 8 && first + 8 <= pairs) {
    HalfSplitVector<T>(d8, heads, pairs, first, cos, sin);
    first += 8;
  }
  if (hn::Lanes(d4) == 4 && first + 4 <= pairs) {
    HalfSplitVector<T>(d4, heads, pairs, first, cos, sin);
    first += 4;
  }
  if (first < pairs) HalfSplitTail<T>(heads, pairs, first, cos, sin);
}

// Pairs of neighbours, one by one.
template <class T>
HWY_NOINLINE void InterleavedTail(const Heads& heads, int64_t pairs, int64_t first,
                                  const float* cos, const float* sin) {
  const hn::CappedTag<float, 1> d;
  for (int64_t h = 0; h < heads.count; ++h) {
    const char* in = heads.in + h * heads.in_stride + 2 * first * T::kBytes;
    char* out = heads.out + h * heads.out_stride + 2 * first * T::kBytes;
    for (int64_t i = first; i < pairs; ++i, in += 2 * T::kBytes, out += 2 * T::kBytes) {
      hn::Vec<decltype(d)> y_a, y_b;
      RotateLanes(hn::Set(d, T::LoadOne(in)), hn::Set(d, T::LoadOne(in + T::kBytes)),
                  hn::Set(d, cos[i]), hn::Set(d, sin[i]), y_a, y_b);
      T::template Store<Plain>(y_a, d, out);
      T::template Store<Plain>(y_b, d, out + T::kBytes);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

template <class T, class W>
HWY_NOINLINE void RotateInterleaved(const Heads& heads, int64_t pairs, const float* cos,
                                    const float* sin) {
  InterleavedTail<T>(heads, pairs, 0, cos, sin);
}

#else

// a, b, a, b, ... with c, c, ... and -s, s, ...: y = x c + swapped(x) s, which has the bits of
// a c - b s and b c + a s.
template <class V>
HWY_INLINE V RotateSwapped(V x, V c, V s) {
  return hn::Add(hn::Mul(x, c), hn::Mul(hn::Shuffle2301(x), s));
}

// c, c, ... and -s, s, ... of as many pairs as half a vector has lanes.
template <class D>
HWY_INLINE void LoadDoubled(D d, const float* cos, const float* sin, hn::Vec<D>& c, hn::Vec<D>& s) {
  const hn::Half<D> half;
  const hn::RebindToUnsigned<D> du;
  const auto doubled = [&](const float* from) {
    const auto low = hn::ZeroExtendVector(d, hn::LoadU(half, from));
    return hn::TableLookupLanes(low, hn::IndicesFromVec(d, hn::ShiftRight<1>(hn::Iota(du, 0))));
  };
  const auto minus_at_even = hn::ShiftLeft<31>(hn::Iota(du, 1));
  c = doubled(cos);
  s = hn::Xor(doubled(sin), hn::BitCast(d, minus_at_even));
}

template <class T, class W, class D, int kVectors>
HWY_INLINE void InterleavedBlock(D d, const Heads& heads, int64_t first, const float* cos,
                                 const float* sin) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> c[kVectors], s[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const int64_t pair = first + v * lanes / 2;
    LoadDoubled(d, cos + pair, sin + pair, c[v], s[v]);
  }
  const char* in = heads.in + 2 * first * T::kBytes;
  char* out = heads.out + 2 * first * T::kBytes;
  for (int64_t h = 0; h < heads.count; ++h, in += heads.in_stride, out += heads.out_stride) {
    if (heads.ahead != 0) PrefetchRange(in + heads.ahead, kVectors * lanes * T::kBytes);
    for (int v = 0; v < kVectors; ++v) {
      T::template Store<W>(RotateSwapped(T::Load(d, in + v * lanes * T::kBytes), c[v], s[v]), d,
                           out + v * lanes * T::kBytes);
    }
  }
}

// bf16: the two of a pair are the halves of a 32-bit lane, and nothing is shuffled.
template <class T, class W, int kVectors>
HWY_INLINE void HalvesBlock(const Heads& heads, int64_t first, const float* cos, const float* sin) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  VF c[kVectors], s[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    c[v] = hn::LoadU(DF(), cos + first + v * lanes);
    s[v] = hn::LoadU(DF(), sin + first + v * lanes);
  }
  const char* in = heads.in + 2 * first * T::kBytes;
  char* out = heads.out + 2 * first * T::kBytes;
  for (int64_t h = 0; h < heads.count; ++h, in += heads.in_stride, out += heads.out_stride) {
    if (heads.ahead != 0) PrefetchRange(in + heads.ahead, 2 * kVectors * lanes * T::kBytes);
    for (int v = 0; v < kVectors; ++v) {
      VF a, b, y_a, y_b;
      T::LoadTwo(in + 2 * v * lanes * T::kBytes, a, b);
      RotateLanes(a, b, c[v], s[v], y_a, y_b);
      T::template StoreTwo<W>(y_a, y_b, out + 2 * v * lanes * T::kBytes);
    }
  }
}

// Enough registers for the rows of a whole head of 128 channels only with AVX-512.
constexpr int kInterleavedVectors = HWY_TARGET == HWY_AVX3 ? 8 : 4;

template <class T, class W>
HWY_NOINLINE void RotateInterleaved(const Heads& heads, int64_t pairs, const float* cos,
                                    const float* sin) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t first = 0;
  if constexpr (std::is_base_of_v<BF16, T>) {
    for (; first + 4 * lanes <= pairs; first += 4 * lanes) {
      HalvesBlock<T, W, 4>(heads, first, cos, sin);
    }
    for (; first + lanes <= pairs; first += lanes) HalvesBlock<T, W, 1>(heads, first, cos, sin);
  } else {
    constexpr int kMany = kInterleavedVectors;
    for (; first + kMany * lanes / 2 <= pairs; first += kMany * lanes / 2) {
      InterleavedBlock<T, W, DF, kMany>(d, heads, first, cos, sin);
    }
  }
  for (; first + lanes / 2 <= pairs; first += lanes / 2) {
    InterleavedBlock<T, Plain, DF, 1>(d, heads, first, cos, sin);
  }
  const hn::CappedTag<float, 4> d4;
  for (; first + 2 <= pairs; first += 2) {
    InterleavedBlock<T, Plain, decltype(d4), 1>(d4, heads, first, cos, sin);
  }
  if (first < pairs) InterleavedTail<T>(heads, pairs, first, cos, sin);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
