// Vectors of float32 from memory of f16 and back. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_SIMD_F16_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_SIMD_F16_NUMBERS_INL_H_
#undef ROPEWALK_KERNELS_SIMD_F16_NUMBERS_INL_H_
#else
#define ROPEWALK_KERNELS_SIMD_F16_NUMBERS_INL_H_
#endif

#include "ropewalk/base/half.h"
#include "ropewalk/kernels/simd/float_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
    const auto at_least = [&](hn::Vec<U32<D> > a, int32_t b) {
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
    const auto at_least = [&](hn::Vec<U32<D> > a, int32_t b) {
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
