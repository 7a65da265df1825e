// 2^x and tanh of a vector. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_EXP_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_EXP_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_EXP_INL_H_
#endif

#include "ropewalk/kernels/simd/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 2^n 2^r with n whole and |r| <= 1/2. The polynomials are the best of their degrees in relative
// error with 1 at 0: off by 2.6e-9, or by 2.9e-6 where the result is rounded to bf16 anyway. x at
// most a rounding above 0; NaN stays.
template <bool kForBf16 = false>
HWY_INLINE VF Exp2(VF x) {
  const DF d;
  const hn::RebindToUnsigned<DF> du;
  // The last bits of `shifted` are n + 127.
  const auto to_integer = hn::Set(d, 0x1.8p23f + 127);
  const VF shifted = hn::Add(x, to_integer);
  const VF r = hn::Sub(x, hn::Sub(shifted, to_integer));
  VF p;
  if constexpr (kForBf16) {
    p = hn::Set(d, 9.582853625e-3f);
    p = hn::MulAdd(p, r, hn::Set(d, 5.590642779e-2f));
    p = hn::MulAdd(p, r, hn::Set(d, 2.402409862e-1f));
    p = hn::MulAdd(p, r, hn::Set(d, 6.931241931e-1f));
  } else {
    p = hn::Set(d, 1.55946781613e-4f);
    p = hn::MulAdd(p, r, hn::Set(d, 1.34066439024e-3f));
    p = hn::MulAdd(p, r, hn::Set(d, 9.61769297299e-3f));
    p = hn::MulAdd(p, r, hn::Set(d, 5.55031055101e-2f));
    p = hn::MulAdd(p, r, hn::Set(d, 2.40226527829e-1f));
    p = hn::MulAdd(p, r, hn::Set(d, 6.93147214968e-1f));
  }
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const VF power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0f)), hn::Mul(p, power));
}

HWY_INLINE float Exp2One(float x) { return hn::GetLane(Exp2(hn::Set(DF(), x))); }

// The series near 0, whose next term is below half a ULP there; else (1 - e) / (1 + e) with
// e = e^(-2 |x|).
HWY_INLINE VF Tanh(VF x) {
  const DF d;
  const VF size = hn::Abs(x), square = hn::Mul(x, x);
  VF series = hn::Set(d, 62.0f / 2835);
  series = hn::MulAdd(series, square, hn::Set(d, -17.0f / 315));
  series = hn::MulAdd(series, square, hn::Set(d, 2.0f / 15));
  series = hn::MulAdd(series, square, hn::Set(d, -1.0f / 3));
  series = hn::MulAdd(hn::Mul(x, square), series, x);
  const VF e = Exp2(hn::Mul(size, hn::Set(d, -2.885390082f))), one = hn::Set(d, 1.0f);
  const VF large = hn::Div(hn::Sub(one, e), hn::Add(one, e));
  return hn::IfThenElse(hn::Lt(size, hn::Set(d, 0.25f)), series, hn::CopySign(large, x));
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
