// The rotation of pairs of neighbours. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROPE_INTERLEAVED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROPE_INTERLEAVED_INL_H_
#undef ROPEWALK_KERNELS_ROPE_INTERLEAVED_INL_H_
#else
#define ROPEWALK_KERNELS_ROPE_INTERLEAVED_INL_H_
#endif

#include <type_traits>

#include "ropewalk/kernels/rope/rotate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
  x = ReadOnce(x);
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
    VF y[2 * kVectors];
    char* to[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      VF a, b;
      T::LoadTwo(in + 2 * v * lanes * T::kBytes, a, b);
      RotateLanes(a, b, c[v], s[v], y[2 * v], y[2 * v + 1]);
      to[v] = out + 2 * v * lanes * T::kBytes;
    }
    StoreTwos<T, W, kVectors>(y, to);
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
