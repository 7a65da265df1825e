// The rotation of the heads of one token by one row. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#undef ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#else
#define ROPEWALK_KERNELS_ROPE_ROTATE_INL_H_
#endif

#include <cstring>

#include <hwy/highway.h>

#include "ropewalk/kernels/rope/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The same window of each head of a token: channels adjacent, heads at any distance.
struct Heads {
  const char* in;
  char* out;
  int64_t count, in_stride, out_stride;  // bytes from head to head
};

// One pair per lane: y_a = a c - b s, y_b = b c + a s. Products and sums are rounded one by one.
HWY_INLINE void RotateLanes(VF a, VF b, VF c, VF s, VF& y_a, VF& y_b) {
  y_a = hn::Sub(hn::Mul(a, c), hn::Mul(b, s));
  y_b = hn::Add(hn::Mul(b, c), hn::Mul(a, s));
}

// kVectors vectors of pairs from pair `first` on, for all heads: their cos and sin stay in
// registers.
template <class T, int kVectors>
HWY_INLINE void HalfSplitBlock(const Heads& heads, int64_t pairs, int64_t first, const float* cos,
                               const float* sin) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF c[kVectors], s[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    c[v] = hn::LoadU(d, cos + first + v * lanes);
    s[v] = hn::LoadU(d, sin + first + v * lanes);
  }
  const char* in = heads.in + first * T::kBytes;
  char* out = heads.out + first * T::kBytes;
  for (int64_t h = 0; h < heads.count; ++h, in += heads.in_stride, out += heads.out_stride) {
    for (int v = 0; v < kVectors; ++v) {
      const int64_t low = v * lanes * T::kBytes, high = low + pairs * T::kBytes;
      VF y_a, y_b;
      RotateLanes(T::Load(in + low), T::Load(in + high), c[v], s[v], y_a, y_b);
      T::Store(y_a, out + low);
      T::Store(y_b, out + high);
    }
  }
}

// The last `count` pairs, fewer than a vector, through buffers of a whole one.
template <class T>
HWY_NOINLINE void HalfSplitTail(const Heads& heads, int64_t pairs, int64_t first, const float* cos,
                                const float* sin) {
  const DF d;
  const int64_t count = pairs - first;
  const auto bytes = static_cast<size_t>(count * T::kBytes);
  HWY_ALIGN float c[HWY_MAX_BYTES / 4] = {}, s[HWY_MAX_BYTES / 4] = {}, a[HWY_MAX_BYTES / 4] = {},
                                    b[HWY_MAX_BYTES / 4] = {};
  std::memcpy(c, cos + first, static_cast<size_t>(count) * sizeof(float));
  std::memcpy(s, sin + first, static_cast<size_t>(count) * sizeof(float));
  for (int64_t h = 0; h < heads.count; ++h) {
    const int64_t low = first * T::kBytes, high = low + pairs * T::kBytes;
    std::memcpy(a, heads.in + h * heads.in_stride + low, bytes);
    std::memcpy(b, heads.in + h * heads.in_stride + high, bytes);
    VF y_a, y_b;
    RotateLanes(T::Load(a), T::Load(b), hn::Load(d, c), hn::Load(d, s), y_a, y_b);
    T::Store(y_a, a);
    T::Store(y_b, b);
    std::memcpy(heads.out + h * heads.out_stride + low, a, bytes);
    std::memcpy(heads.out + h * heads.out_stride + high, b, bytes);
  }
}

template <class T>
HWY_NOINLINE void RotateHalfSplit(const Heads& heads, int64_t pairs, const float* cos,
                                  const float* sin) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  int64_t first = 0;
  for (; first + 4 * lanes <= pairs; first += 4 * lanes)
    HalfSplitBlock<T, 4>(heads, pairs, first, cos, sin);
  for (; first + lanes <= pairs; first += lanes)
    HalfSplitBlock<T, 1>(heads, pairs, first, cos, sin);
  if (first < pairs) HalfSplitTail<T>(heads, pairs, first, cos, sin);
}

#if HWY_TARGET == HWY_SCALAR

template <class T>
HWY_NOINLINE void RotateInterleaved(const Heads& heads, int64_t pairs, const float* cos,
                                    const float* sin) {
  for (int64_t h = 0; h < heads.count; ++h) {
    const char* in = heads.in + h * heads.in_stride;
    char* out = heads.out + h * heads.out_stride;
    for (int64_t i = 0; i < pairs; ++i, in += 2 * T::kBytes, out += 2 * T::kBytes) {
      const float a = T::LoadOne(in), b = T::LoadOne(in + T::kBytes);
      const float c = cos[2 * i], s = sin[2 * i + 1];
      const float ac = a * c, bs = b * s, bc = b * c, as = a * s;
      T::StoreOne(ac - bs, out);
      T::StoreOne(bc + as, out + T::kBytes);
    }
  }
}

#else

// a, b, a, b, ... with rows doubled to c, c, ... and -s, s, ...: y = x c + swapped(x) s, which has
// the bits of a c - b s and b c + a s.
HWY_INLINE VF RotateSwapped(VF x, VF c, VF s) {
  return hn::Add(hn::Mul(x, c), hn::Mul(hn::Shuffle2301(x), s));
}

template <class T, int kVectors>
HWY_INLINE void InterleavedBlock(const Heads& heads, int64_t first, const float* cos,
                                 const float* sin) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF c[kVectors], s[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    c[v] = hn::LoadU(d, cos + first + v * lanes);
    s[v] = hn::LoadU(d, sin + first + v * lanes);
  }
  const char* in = heads.in + first * T::kBytes;
  char* out = heads.out + first * T::kBytes;
  for (int64_t h = 0; h < heads.count; ++h, in += heads.in_stride, out += heads.out_stride) {
    for (int v = 0; v < kVectors; ++v) {
      T::Store(RotateSwapped(T::Load(in + v * lanes * T::kBytes), c[v], s[v]),
               out + v * lanes * T::kBytes);
    }
  }
}

template <class T>
HWY_NOINLINE void InterleavedTail(const Heads& heads, int64_t channels, int64_t first,
                                  const float* cos, const float* sin) {
  const DF d;
  const auto count = static_cast<size_t>(channels - first),
             bytes = count * static_cast<size_t>(T::kBytes);
  HWY_ALIGN float c[HWY_MAX_BYTES / 4] = {}, s[HWY_MAX_BYTES / 4] = {}, x[HWY_MAX_BYTES / 4] = {};
  std::memcpy(c, cos + first, count * sizeof(float));
  std::memcpy(s, sin + first, count * sizeof(float));
  for (int64_t h = 0; h < heads.count; ++h) {
    std::memcpy(x, heads.in + h * heads.in_stride + first * T::kBytes, bytes);
    T::Store(RotateSwapped(T::Load(x), hn::Load(d, c), hn::Load(d, s)), x);
    std::memcpy(heads.out + h * heads.out_stride + first * T::kBytes, x, bytes);
  }
}

// cos, sin: doubled rows [2 pairs].
template <class T>
HWY_NOINLINE void RotateInterleaved(const Heads& heads, int64_t pairs, const float* cos,
                                    const float* sin) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  const int64_t channels = 2 * pairs;
  int64_t first = 0;
  for (; first + 8 * lanes <= channels; first += 8 * lanes)
    InterleavedBlock<T, 8>(heads, first, cos, sin);
  for (; first + lanes <= channels; first += lanes) InterleavedBlock<T, 1>(heads, first, cos, sin);
  if (first < channels) InterleavedTail<T>(heads, channels, first, cos, sin);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
