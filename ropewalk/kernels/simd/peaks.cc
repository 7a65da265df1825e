#include "ropewalk/kernels/simd/peaks.h"

#include "ropewalk/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/simd/peaks.cc"
#include <hwy/foreach_target.h>

#include "ropewalk/kernels/simd/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Enough sums for the latency of a multiply-add, few enough for 16 registers. Named one by one, for
// compilers keep no array in registers at every level of optimization.
struct TwelveSums {
  VF s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11;

  template <class Function>
  HWY_INLINE void each(Function f) {
    f(s0), f(s1), f(s2), f(s3), f(s4), f(s5), f(s6), f(s7), f(s8), f(s9), f(s10), f(s11);
  }
};

double MultiplyAdds(int64_t steps) {
  const DF d;
  TwelveSums sums;
  float first = 1;  // each another one, or one product would do for all
  sums.each([&](VF& s) { s = hn::Set(d, first += 0.5f); });
  const VF a = hn::Set(d, 0.999f), b = hn::Set(d, 0.001f);
  for (int64_t i = 0; i < steps; ++i) {
    sums.each([&](VF& s) { s = hn::MulAdd(s, a, b); });
  }
  float all = 0;
  sums.each([&](VF& s) { all += hn::GetLane(s); });
  volatile float kept = all;
  (void)kept;
  return static_cast<double>(steps) * 12 * 2 * static_cast<double>(hn::Lanes(d));
}

double DotProducts(int64_t steps) {
#if ROPEWALK_BF16_IN_HARDWARE
  const DF d;
  TwelveSums sums;
  sums.each([&](VF& s) { s = hn::Zero(d); });
  const VF a = hn::Zero(d);
  for (int64_t i = 0; i < steps; ++i) {
    sums.each([&](VF& s) { asm volatile("vdpbf16ps %1, %1, %0" : "+v"(s.raw) : "v"(a.raw)); });
  }
  return static_cast<double>(steps) * 12 * 4 * static_cast<double>(hn::Lanes(d));
#else
  (void)steps;
  return 0;
#endif
}

void ReadMemory(const void* from, int64_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* at = static_cast<const uint8_t*>(from);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= bytes; i += 4 * lanes) {
    s0 = hn::Or(s0, hn::LoadU(d, at + i));
    s1 = hn::Or(s1, hn::LoadU(d, at + i + lanes));
    s2 = hn::Or(s2, hn::LoadU(d, at + i + 2 * lanes));
    s3 = hn::Or(s3, hn::LoadU(d, at + i + 3 * lanes));
  }
  uint8_t all = hn::GetLane(hn::Or(hn::Or(s0, s1), hn::Or(s2, s3)));
  for (; i < bytes; ++i) all = static_cast<uint8_t>(all | at[i]);
  volatile uint8_t kept = all;
  (void)kept;
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropewalk {

HWY_EXPORT(MultiplyAdds);
HWY_EXPORT(DotProducts);
HWY_EXPORT(ReadMemory);

double peak_multiply_adds(int64_t steps) { return HWY_DYNAMIC_DISPATCH(MultiplyAdds)(steps); }

double peak_dot_products(int64_t steps) {
  if (!bf16_conversion_allowed()) return 0;
  const double flops = HWY_DYNAMIC_DISPATCH(DotProducts)(steps);
  return steps == 0 ? 1 : flops;
}

void read_memory(const void* from, int64_t bytes) { HWY_DYNAMIC_DISPATCH(ReadMemory)(from, bytes); }

}  // namespace ropewalk
#endif
