// Vectors of float32 from memory of each element type and back, one rounding to nearest even, the
// same bits on every target. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_SIMD_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_SIMD_NUMBERS_INL_H_
#undef ROPEWALK_KERNELS_SIMD_NUMBERS_INL_H_
#else
#define ROPEWALK_KERNELS_SIMD_NUMBERS_INL_H_
#endif

#include <cstring>

#include <hwy/highway.h>

#include "ropewalk/base/half.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// A full vector at any address.
template <class D>
HWY_INLINE hn::Vec<D> LoadBytes(D d, const void* from) {
#if HWY_TARGET == HWY_SCALAR
  hn::TFromD<D> value;
  std::memcpy(&value, from, sizeof(value));
  return hn::Set(d, value);
#else
  return hn::LoadU(d, static_cast<const hn::TFromD<D>*>(from));
#endif
}

template <class D>
HWY_INLINE void StoreBytes(hn::Vec<D> v, D d, void* to) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  const hn::TFromD<D> value = hn::GetLane(v);
  std::memcpy(to, &value, sizeof(value));
#else
  hn::StoreU(v, d, static_cast<hn::TFromD<D>*>(to));
#endif
}

// How results are stored: as usual, or, whole vectors at whole addresses, around the caches, for
// results that would have left them before they are read again.
struct Plain {
  template <class D>
  static HWY_INLINE void Write(hn::Vec<D> v, D d, void* to) {
    StoreBytes(v, d, to);
  }
};
struct Streamed {
  template <class D>
  static HWY_INLINE void Write(hn::Vec<D> v, D d, void* to) {
    // Part of a vector (f16 with SSE4) would be written as a whole one.
    if (hn::Lanes(d) * sizeof(hn::TFromD<D>) < 16) return StoreBytes(v, d, to);
    hn::Stream(v, d, static_cast<hn::TFromD<D>*>(to));
  }
};

// Two vectors of floats from memory that holds both: T::LoadTwo gives them in an order of T's own,
// T::LoadRowTwo gives cos or sin in the same order, and T::StoreTwo takes it.
struct F32 {
  static constexpr int64_t kBytes = 4;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const void* from) {
    return LoadBytes(d, from);
  }
  template <class W, class D>
  static HWY_INLINE void Store(hn::Vec<D> v, D d, void* to) {
    W::Write(v, d, to);
  }
  static HWY_INLINE void LoadTwo(const char* from, VF& x0, VF& x1) {
    x0 = LoadBytes(DF(), from);
    x1 = LoadBytes(DF(), from + 4 * hn::Lanes(DF()));
  }
  static HWY_INLINE void LoadRowTwo(const float* from, VF& x0, VF& x1) {
    x0 = hn::LoadU(DF(), from);
    x1 = hn::LoadU(DF(), from + hn::Lanes(DF()));
  }
  template <class W>
  static HWY_INLINE void StoreTwo(VF x0, VF x1, char* to) {
    W::Write(x0, DF(), to);
    W::Write(x1, DF(), to + 4 * hn::Lanes(DF()));
  }
  static HWY_INLINE float LoadOne(const void* from) {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
};

// What the two 16-bit types share: their bits in the low half of 32-bit lanes.
template <class D>
using U32 = hn::RebindToUnsigned<D>;
template <class D>
using I32 = hn::RebindToSigned<D>;
template <class D>
using U16 = hn::Rebind<uint16_t, D>;

template <class D>
HWY_INLINE hn::Vec<U32<D>> Load16(D, const void* from) {
  return hn::PromoteTo(U32<D>(), LoadBytes(U16<D>(), from));
}
template <class W, class D>
HWY_INLINE void Store16(hn::Vec<U32<D>> bits, D, void* to) {
  W::Write(hn::DemoteTo(U16<D>(), hn::BitCast(I32<D>(), bits)), U16<D>(), to);
}
HWY_INLINE uint16_t LoadOne16(const void* from) {
  uint16_t bits;
  std::memcpy(&bits, from, sizeof(bits));
  return bits;
}

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
    const auto both = LoadBytes(du, from);
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
  template <class W>
  static HWY_INLINE void StoreTwo(VF x0, VF x1, char* to) {
    const hn::ScalableTag<uint16_t> d16;
    hn::Vec<decltype(d16)> halves;
    asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(halves.raw) : "v"(x1.raw), "v"(x0.raw));
    if (HWY_UNLIKELY(_mm512_testn_epi16_mask(halves.raw, _mm512_set1_epi16(0x7FFF)) != 0)) {
      return BF16::StoreTwo<W>(x0, x1, to);
    }
    alignas(64) static constexpr uint16_t kInterleave[32] = {
        0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    halves.raw = _mm512_permutexvar_epi16(_mm512_load_si512(kInterleave), halves.raw);
    W::Write(halves, d16, to);
  }
};
#else
#define ROPEWALK_BF16_IN_HARDWARE 0
#endif

#undef ROPEWALK_F16_IN_HARDWARE
// AVX2 and better convert f16 in hardware, denormals included, whatever DAZ says.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define ROPEWALK_F16_IN_HARDWARE 1
#else
#define ROPEWALK_F16_IN_HARDWARE 0
#endif

struct F16 {
  static constexpr int64_t kBytes = 2;
#if ROPEWALK_F16_IN_HARDWARE
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const void* from) {
    const hn::Rebind<hwy::float16_t, D> df16;
    return hn::PromoteTo(d, hn::BitCast(df16, LoadBytes(U16<D>(), from)));
  }
  template <class W, class D>
  static HWY_INLINE void Store(hn::Vec<D> v, D, void* to) {
    const hn::Rebind<hwy::float16_t, D> df16;
    W::Write(hn::BitCast(U16<D>(), hn::DemoteTo(df16, v)), U16<D>(), to);
  }
#else
  // float_from_f16 and f16_from_float of base/half.h, lane by lane.
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const void* from) {
    const U32<D> du;
    const I32<D> di;
    const auto set = [&](uint32_t bits) { return hn::Set(du, bits); };
    const auto at_least = [&](hn::Vec<U32<D>> a, int32_t b) {
      return hn::RebindMask(du, hn::Gt(hn::BitCast(di, a), hn::Set(di, b - 1)));
    };
    const auto bits = Load16(d, from);
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, set(0x8000)));
    const auto magnitude = hn::And(bits, set(0x7FFF));
    const auto payload = hn::ShiftLeft<13>(hn::And(magnitude, set(0x3FF)));
    const auto quiet = hn::IfThenElseZero(at_least(payload, 1), set(0x00400000));
    const auto special = hn::Or(hn::Or(set(0x7F800000), payload), quiet);
    const auto normal = hn::Add(hn::ShiftLeft<13>(magnitude), set(0x38000000));
    const auto small = hn::Mul(hn::ConvertTo(d, hn::BitCast(di, magnitude)), hn::Set(d, 0x1p-24f));
    auto result = hn::IfThenElse(at_least(magnitude, 0x0400), normal, hn::BitCast(du, small));
    result = hn::IfThenElse(at_least(magnitude, 0x7C00), special, result);
    return hn::BitCast(d, hn::Or(sign, result));
  }
  template <class W, class D>
  static HWY_INLINE void Store(hn::Vec<D> v, D d, void* to) {
    const U32<D> du;
    const I32<D> di;
    const auto set = [&](uint32_t bits) { return hn::Set(du, bits); };
    const auto at_least = [&](hn::Vec<U32<D>> a, int32_t b) {
      return hn::RebindMask(du, hn::Gt(hn::BitCast(di, a), hn::Set(di, b - 1)));
    };
    const auto bits = hn::BitCast(du, v);
    const auto sign = hn::And(hn::ShiftRight<16>(bits), set(0x8000));
    const auto magnitude = hn::And(bits, set(0x7FFFFFFF));
    const auto shifted = hn::BitCast(du, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f)));
    const auto small = hn::Sub(shifted, set(0x3F000000));
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), set(1));
    const auto rounded = hn::Add(hn::Add(magnitude, set(0x0FFF)), odd);
    const auto normal = hn::ShiftRight<13>(hn::Sub(rounded, set(0x38000000)));
    const auto nan = hn::Or(set(0x7E00), hn::And(hn::ShiftRight<13>(magnitude), set(0x3FF)));
    auto result = hn::IfThenElse(at_least(magnitude, 0x38800000), normal, small);
    result = hn::IfThenElse(at_least(magnitude, 0x477FF000), set(0x7C00), result);
    result = hn::IfThenElse(at_least(magnitude, 0x7F800001), nan, result);
    Store16<W>(hn::Or(sign, result), d, to);
  }
#endif
  static HWY_INLINE void LoadTwo(const char* from, VF& x0, VF& x1) {
    x0 = Load(DF(), from);
    x1 = Load(DF(), from + 2 * hn::Lanes(DF()));
  }
  static HWY_INLINE void LoadRowTwo(const float* from, VF& x0, VF& x1) {
    F32::LoadRowTwo(from, x0, x1);
  }
  template <class W>
  static HWY_INLINE void StoreTwo(VF x0, VF x1, char* to) {
    Store<W>(x0, DF(), to);
    Store<W>(x1, DF(), to + 2 * hn::Lanes(DF()));
  }
  static HWY_INLINE float LoadOne(const void* from) { return float_from_f16(LoadOne16(from)); }
};

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
