// Vectors of float32 from memory of each element type and back, one rounding to nearest even, the
// same bits on every target. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROPE_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROPE_NUMBERS_INL_H_
#undef ROPEWALK_KERNELS_ROPE_NUMBERS_INL_H_
#else
#define ROPEWALK_KERNELS_ROPE_NUMBERS_INL_H_
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
using DU32 = hn::RebindToUnsigned<DF>;
using DI32 = hn::RebindToSigned<DF>;
using DU16 = hn::Rebind<uint16_t, DF>;
using VU32 = hn::Vec<DU32>;

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

struct F32 {
  static constexpr int64_t kBytes = 4;
  static HWY_INLINE VF Load(const void* from) { return LoadBytes(DF(), from); }
  static HWY_INLINE void Store(VF v, void* to) { StoreBytes(v, DF(), to); }
  static HWY_INLINE float LoadOne(const void* from) {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  static HWY_INLINE void StoreOne(float value, void* to) { std::memcpy(to, &value, sizeof(value)); }
};

// What the two 16-bit types share: their bits in the low half of 32-bit lanes.
HWY_INLINE VU32 Load16(const void* from) { return hn::PromoteTo(DU32(), LoadBytes(DU16(), from)); }
HWY_INLINE void Store16(VU32 bits, void* to) {
  StoreBytes(hn::DemoteTo(DU16(), hn::BitCast(DI32(), bits)), DU16(), to);
}
HWY_INLINE uint16_t LoadOne16(const void* from) {
  uint16_t bits;
  std::memcpy(&bits, from, sizeof(bits));
  return bits;
}

struct BF16 {
  static constexpr int64_t kBytes = 2;
  static HWY_INLINE VF Load(const void* from) {
    return hn::BitCast(DF(), hn::ShiftLeft<16>(Load16(from)));
  }
  static HWY_INLINE void Store(VF v, void* to) {
    const DU32 du;
    const VU32 bits = hn::BitCast(du, v);
    const VU32 odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const VU32 rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7FFF)), odd));
    const VU32 quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(du, 0x40));
    const auto is_nan = hn::RebindMask(du, hn::Ne(v, v));
    Store16(hn::IfThenElse(is_nan, quiet, rounded), to);
  }
  static HWY_INLINE float LoadOne(const void* from) { return float_from_bf16(LoadOne16(from)); }
  static HWY_INLINE void StoreOne(float value, void* to) {
    const uint16_t bits = bf16_from_float(value);
    std::memcpy(to, &bits, sizeof(bits));
  }
};

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
  using DF16 = hn::Rebind<hwy::float16_t, DF>;
  static HWY_INLINE VF Load(const void* from) {
    return hn::PromoteTo(DF(), hn::BitCast(DF16(), LoadBytes(DU16(), from)));
  }
  static HWY_INLINE void Store(VF v, void* to) {
    StoreBytes(hn::BitCast(DU16(), hn::DemoteTo(DF16(), v)), DU16(), to);
  }
#else
  // float_from_f16 and f16_from_float of base/half.h, lane by lane.
  static HWY_INLINE VF Load(const void* from) {
    const DU32 du;
    const auto set = [&](uint32_t bits) { return hn::Set(du, bits); };
    const auto at_least = [&](VU32 a, int32_t b) {
      return hn::RebindMask(du, hn::Gt(hn::BitCast(DI32(), a), hn::Set(DI32(), b - 1)));
    };
    const VU32 bits = Load16(from);
    const VU32 sign = hn::ShiftLeft<16>(hn::And(bits, set(0x8000)));
    const VU32 magnitude = hn::And(bits, set(0x7FFF));
    const VU32 payload = hn::ShiftLeft<13>(hn::And(magnitude, set(0x3FF)));
    const VU32 quiet = hn::IfThenElseZero(at_least(payload, 1), set(0x00400000));
    const VU32 special = hn::Or(hn::Or(set(0x7F800000), payload), quiet);
    const VU32 normal = hn::Add(hn::ShiftLeft<13>(magnitude), set(0x38000000));
    const VF small =
        hn::Mul(hn::ConvertTo(DF(), hn::BitCast(DI32(), magnitude)), hn::Set(DF(), 0x1p-24f));
    VU32 result = hn::IfThenElse(at_least(magnitude, 0x0400), normal, hn::BitCast(du, small));
    result = hn::IfThenElse(at_least(magnitude, 0x7C00), special, result);
    return hn::BitCast(DF(), hn::Or(sign, result));
  }
  static HWY_INLINE void Store(VF v, void* to) {
    const DU32 du;
    const auto set = [&](uint32_t bits) { return hn::Set(du, bits); };
    const auto at_least = [&](VU32 a, int32_t b) {
      return hn::RebindMask(du, hn::Gt(hn::BitCast(DI32(), a), hn::Set(DI32(), b - 1)));
    };
    const VU32 bits = hn::BitCast(du, v);
    const VU32 sign = hn::And(hn::ShiftRight<16>(bits), set(0x8000));
    const VU32 magnitude = hn::And(bits, set(0x7FFFFFFF));
    const VU32 shifted =
        hn::BitCast(du, hn::Add(hn::BitCast(DF(), magnitude), hn::Set(DF(), 0.5f)));
    const VU32 small = hn::Sub(shifted, set(0x3F000000));
    const VU32 odd = hn::And(hn::ShiftRight<13>(magnitude), set(1));
    const VU32 rounded = hn::Add(hn::Add(magnitude, set(0x0FFF)), odd);
    const VU32 normal = hn::ShiftRight<13>(hn::Sub(rounded, set(0x38000000)));
    const VU32 nan = hn::Or(set(0x7E00), hn::And(hn::ShiftRight<13>(magnitude), set(0x3FF)));
    VU32 result = hn::IfThenElse(at_least(magnitude, 0x38800000), normal, small);
    result = hn::IfThenElse(at_least(magnitude, 0x477FF000), set(0x7C00), result);
    result = hn::IfThenElse(at_least(magnitude, 0x7F800001), nan, result);
    Store16(hn::Or(sign, result), to);
  }
#endif
  static HWY_INLINE float LoadOne(const void* from) { return float_from_f16(LoadOne16(from)); }
  static HWY_INLINE void StoreOne(float value, void* to) {
    const uint16_t bits = f16_from_float(value);
    std::memcpy(to, &bits, sizeof(bits));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
