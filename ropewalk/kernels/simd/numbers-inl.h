// Vectors of float32 from memory of each element type and back, one rounding to nearest even, the
// same bits on every target. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_SIMD_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_SIMD_NUMBERS_INL_H_
#undef ROPEWALK_KERNELS_SIMD_NUMBERS_INL_H_
#else
#define ROPEWALK_KERNELS_SIMD_NUMBERS_INL_H_
#endif

#include <type_traits>

#include "ropewalk/base/half.h"
#include "ropewalk/kernels/simd/f16_numbers-inl.h"
#include "ropewalk/kernels/simd/float_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rounds to nearest even in the upper half of each lane; the lower half is left over. NaN stays
// NaN.
template <class D>
HWY_INLINE hn::Vec<U32<D>> RoundedToBf16(hn::Vec<D> v, D) {
  const U32<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF)));
  const auto quiet = hn::Or(bits, hn::Set(du, 0x00400000));
  return hn::IfThenElse(hn::RebindMask(du, hn::Ne(v, v)), quiet, rounded);
}

// Two neighbours share a lane of 32 bits: x0 is the lower half, x1 the upper one, so that loads
// need no shuffle. Pairs that are interleaved are then (x0, x1) themselves.
struct BF16 {
  static constexpr int64_t kBytes = 2;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const void* from) {
    return hn::BitCast(d, hn::ShiftLeft<16>(Load16(d, from)));
  }
  template <class W, class D>
  static HWY_INLINE void Store(hn::Vec<D> v, D d, void* to) {
    Store16<W>(hn::ShiftRight<16>(RoundedToBf16(v, d)), d, to);
  }
#if HWY_TARGET != HWY_SCALAR
  static HWY_INLINE void LoadTwo(const char* from, VF& x0, VF& x1) {
    const U32<DF> du;
    const auto both = ReadOnce(LoadBytes(du, from));
    x0 = hn::BitCast(DF(), hn::ShiftLeft<16>(both));
    x1 = hn::BitCast(DF(), hn::And(both, hn::Set(du, 0xFFFF0000)));
  }
  static HWY_INLINE void LoadRowTwo(const float* from, VF& x0, VF& x1) {
    const DF d;
    const VF low = hn::LoadU(d, from), high = hn::LoadU(d, from + hn::Lanes(d));
    x0 = hn::ConcatEven(d, high, low);
    x1 = hn::ConcatOdd(d, high, low);
  }
  template <class W>
  static HWY_INLINE void StoreTwo(VF x0, VF x1, char* to) {
    const U32<DF> du;
    const auto low = hn::ShiftRight<16>(RoundedToBf16(x0, DF()));
    const auto high = hn::And(RoundedToBf16(x1, DF()), hn::Set(du, 0xFFFF0000));
    W::Write(hn::Or(low, high), du, to);
  }
#else
  static HWY_INLINE void LoadTwo(const char* from, VF& x0, VF& x1) {
    x0 = Load(DF(), from);
    x1 = Load(DF(), from + kBytes);
  }
  static HWY_INLINE void LoadRowTwo(const float* from, VF& x0, VF& x1) {
    F32::LoadRowTwo(from, x0, x1);
  }
  template <class W>
  static HWY_INLINE void StoreTwo(VF x0, VF x1, char* to) {
    Store<W>(x0, DF(), to);
    Store<W>(x1, DF(), to + kBytes);
  }
#endif
  static HWY_INLINE float LoadOne(const void* from) { return float_from_bf16(LoadOne16(from)); }
};

#undef ROPEWALK_BF16_IN_HARDWARE
#if HWY_TARGET == HWY_AVX3 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
#define ROPEWALK_BF16_IN_HARDWARE 1

// With the conversion of AVX512-BF16, which Highway has no target for. It rounds as RoundedToBf16
// does, but takes denormal numbers for zero: where a result is zero, that one decides.
struct BF16InHardware : BF16 {
  template <class W, class D>
  static HWY_INLINE void Store(hn::Vec<D> v, D d, void* to) {
    if constexpr (hn::MaxLanes(D()) < 16) {
      BF16::Store<W>(v, d, to);
    } else {
      const hn::Rebind<uint16_t, D> d16;
      hn::Vec<decltype(d16)> halves;
      asm("vcvtneps2bf16 %1, %0" : "=v"(halves.raw) : "v"(v.raw));
      if (HWY_UNLIKELY(_mm256_testn_epi16_mask(halves.raw, _mm256_set1_epi16(0x7FFF)) != 0)) {
        return BF16::Store<W>(v, d, to);
      }
      W::Write(halves, d16, to);
    }
  }
  // x[2 i] and x[2 i + 1] at to[i], as StoreTwo: one look for zeros among all.
  template <class W, int kCount>
  static HWY_INLINE void StoreTwos(const VF (&x)[2 * kCount], char* const (&to)[kCount]) {
    const hn::ScalableTag<uint16_t> d16;
    hn::Vec<decltype(d16)> halves[kCount];
    __mmask32 all = 0xFFFFFFFF;  // lanes that are zero in none
    for (int i = 0; i < kCount; ++i) {
      asm("vcvtne2ps2bf16 %2, %1, %0"
          : "=v"(halves[i].raw)
          : "v"(x[2 * i + 1].raw), "v"(x[2 * i].raw));
      all = _mm512_mask_test_epi16_mask(all, halves[i].raw, _mm512_set1_epi16(0x7FFF));
    }
    if (HWY_UNLIKELY(_kortestc_mask32_u8(all, all) == 0)) {
      for (int i = 0; i < kCount; ++i) BF16::StoreTwo<W>(x[2 * i], x[2 * i + 1], to[i]);
      return;
    }
    alignas(64) static constexpr uint16_t kInterleave[32] = {
        0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const __m512i interleave = _mm512_load_si512(kInterleave);
    for (int i = 0; i < kCount; ++i) {
      halves[i].raw = _mm512_permutexvar_epi16(interleave, halves[i].raw);
      W::Write(halves[i], d16, to[i]);
    }
  }
};
#else
#define ROPEWALK_BF16_IN_HARDWARE 0
#endif

// x[2 i] and x[2 i + 1] at to[i], by T::StoreTwo.
template <class T, class W, int kCount>
HWY_INLINE void StoreTwos(const VF (&x)[2 * kCount], char* const (&to)[kCount]) {
#if ROPEWALK_BF16_IN_HARDWARE
  if constexpr (std::is_same_v<T, BF16InHardware>) return T::template StoreTwos<W>(x, to);
#endif
  for (int i = 0; i < kCount; ++i) T::template StoreTwo<W>(x[2 * i], x[2 * i + 1], to[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
