// Products of 32-bit numbers in 64-bit lanes. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_SIMD_LOWER32_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_SIMD_LOWER32_INL_H_
#undef ROPEWALK_KERNELS_SIMD_LOWER32_INL_H_
#else
#define ROPEWALK_KERNELS_SIMD_LOWER32_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DU64 = hn::ScalableTag<uint64_t>;
using VU64 = hn::Vec<DU64>;

// Products of the lower 32 bits of each 64-bit lane.
HWY_INLINE VU64 MulLower32(VU64 a, VU64 b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(DU64(), (hn::GetLane(a) & 0xFFFFFFFFu) * (hn::GetLane(b) & 0xFFFFFFFFu));
#else
  const hn::Repartition<uint32_t, DU64> du32;
  return hn::MulEven(hn::BitCast(du32, a), hn::BitCast(du32, b));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
