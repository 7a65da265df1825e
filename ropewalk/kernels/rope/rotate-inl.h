// The rotation of the heads of one token by one row: what both pairings share, and half_split.
// Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#undef ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#else
#define ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#endif

#include <cstring>

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
  int64_t in_stride;  // bytes from head to head
  char* out;
  int64_t out_stride;
  int64_t count;
  int64_t ahead;  // bytes ahead to prefetch, 0: none
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
    VF y[4 * kTwos];
    char* to[2 * kTwos];
    for (int t = 0; t < kTwos; ++t) {
      VF a0, a1, b0, b1;
      T::LoadTwo(in + t * step, a0, a1);
      T::LoadTwo(in + t * step + to_high, b0, b1);
      RotateLanes(a0, b0, c[2 * t], s[2 * t], y[4 * t], y[4 * t + 2]);
      RotateLanes(a1, b1, c[2 * t + 1], s[2 * t + 1], y[4 * t + 1], y[4 * t + 3]);
      to[2 * t] = out + t * step;
      to[2 * t + 1] = out + t * step + to_high;
    }
    StoreTwos<T, W, 2 * kTwos>(y, to);
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
    if (heads.ahead != 0) {
      hwy::Prefetch(in + heads.ahead);
      hwy::Prefetch(in + heads.ahead + to_high);
    }
    hn::Vec<D> y_a, y_b;
    RotateLanes(T::Load(d, in), T::Load(d, in + to_high), c, s, y_a, y_b);
    T::template Store<Plain>(y_a, d, out);
    T::template Store<Plain>(y_b, d, out + to_high);
  }
}

#if HWY_TARGET != HWY_SCALAR
// A window of one vector: y = x [c, c] + [x_b, x_a] [-s, s], which has the bits of the formulas.
template <class T>
HWY_INLINE void HalfSplitWhole(const Heads& heads, const float* cos, const float* sin) {
  const DF d;
  const hn::Half<DF> half;
  const auto c = hn::LoadU(half, cos), s = hn::LoadU(half, sin);
  const VF cc = hn::Combine(d, c, c), ss = hn::Combine(d, s, hn::Neg(s));
  const char* in = heads.in;
  char* out = heads.out;
  for (int64_t h = 0; h < heads.count; ++h, in += heads.in_stride, out += heads.out_stride) {
    if (heads.ahead != 0) hwy::Prefetch(in + heads.ahead);
    const VF x = T::Load(d, in);
    const VF swapped = hn::ConcatLowerUpper(d, x, x);
    T::template Store<Plain>(hn::Add(hn::Mul(x, cc), hn::Mul(swapped, ss)), d, out);
  }
}
#endif

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
#if HWY_TARGET != HWY_SCALAR
  if (2 * pairs == lanes) return HalfSplitWhole<T>(heads, cos, sin);
#endif
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

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
