// Rows of cos and sin for the target that is being compiled. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROWS_INL_H_
#undef ROPEWALK_KERNELS_ROWS_INL_H_
#else
#define ROPEWALK_KERNELS_ROWS_INL_H_
#endif

#include <cstring>

#include <hwy/highway.h>

#include "ropewalk/kernels/rows/phase.h"
#include "ropewalk/kernels/rows/rows.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF64 = hn::ScalableTag<double>;
using DU64 = hn::RebindToUnsigned<DF64>;
using DI64 = hn::RebindToSigned<DF64>;
using DF32 = hn::Rebind<float, DF64>;  // as many floats as doubles
using VF64 = hn::Vec<DF64>;
using VU64 = hn::Vec<DU64>;

// The top 128 bits of a phase, one pair per lane.
struct PhaseVector {
  VU64 hi, mid;
};

// Products of the lower 32 bits of each 64-bit lane.
HWY_INLINE VU64 MulLower32(VU64 a, VU64 b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(DU64(), (hn::GetLane(a) & 0xFFFFFFFFu) * (hn::GetLane(b) & 0xFFFFFFFFu));
#else
  const hn::Repartition<uint32_t, DU64> du32;
  return hn::MulEven(hn::BitCast(du32, a), hn::BitCast(du32, b));
#endif
}

// A 32-bit position (in 64-bit lanes) times a 128-bit frequency, modulo one turn.
HWY_INLINE PhaseVector MultiplyPhase(VU64 position, PhaseVector turns) {
  const DU64 du;
  const auto times = [&](VU64 limb) { return MulLower32(position, limb); };
  const VU64 low_half = hn::Set(du, 0xFFFFFFFFu);
  const VU64 product0 = times(turns.mid);
  const VU64 product1 = hn::Add(times(hn::ShiftRight<32>(turns.mid)), hn::ShiftRight<32>(product0));
  const VU64 product2 = hn::Add(times(turns.hi), hn::ShiftRight<32>(product1));
  const VU64 product3 = hn::Add(times(hn::ShiftRight<32>(turns.hi)), hn::ShiftRight<32>(product2));
  return {hn::Or(hn::And(product2, low_half), hn::ShiftLeft<32>(product3)),
          hn::Or(hn::And(product0, low_half), hn::ShiftLeft<32>(product1))};
}

// r of phase = k/4 + r as a signed double in turns, relative error below 2^-52.
HWY_INLINE VF64 Remainder(PhaseVector phase, VU64 quadrant) {
  const DF64 dd;
  const DU64 du;
  const DI64 di;
  const VU64 hi = hn::Sub(phase.hi, hn::ShiftLeft<62>(quadrant));
  const VU64 sign =
      hn::BitCast(du, hn::ShiftRight<63>(hn::BitCast(di, hi)));  // all ones where r < 0
  // One's complement: off by 2^-128 turns, which the error budget allows (numbers this close to a
  // quarter turn take the 192-bit way).
  const auto as_double = [&](VU64 x) { return hn::ConvertTo(dd, hn::BitCast(di, x)); };
  const VF64 high = hn::Mul(as_double(hn::Xor(hi, sign)), hn::Set(dd, 0x1p-64));
  const VF64 low =
      hn::Mul(as_double(hn::ShiftRight<1>(hn::Xor(phase.mid, sign))), hn::Set(dd, 0x1p-127));
  return hn::Xor(hn::Add(high, low), hn::BitCast(dd, hn::ShiftLeft<63>(sign)));
}

// sin x and cos x for |x| <= pi/4, error below one ulp each: the minimax polynomials of fdlibm
// (k_sin.c, k_cos.c: degree 13 and 14).
HWY_INLINE void SinCosKernel(VF64 x, VF64& sin, VF64& cos) {
  const DF64 d;
  const auto c = [&](double value) { return hn::Set(d, value); };
  const VF64 z = hn::Mul(x, x);
  VF64 s = hn::MulAdd(z, c(1.58969099521155010221e-10), c(-2.50507602534068634195e-08));
  s = hn::MulAdd(z, s, c(2.75573137070700676789e-06));
  s = hn::MulAdd(z, s, c(-1.98412698298579493134e-04));
  s = hn::MulAdd(z, s, c(8.33333333332248946124e-03));
  s = hn::MulAdd(z, s, c(-1.66666666666666324348e-01));
  sin = hn::MulAdd(hn::Mul(z, x), s, x);

  VF64 t = hn::MulAdd(z, c(-1.13596475577881948265e-11), c(2.08757232129817482790e-09));
  t = hn::MulAdd(z, t, c(-2.75573143513906633035e-07));
  t = hn::MulAdd(z, t, c(2.48015872894767294178e-05));
  t = hn::MulAdd(z, t, c(-1.38888888888741095749e-03));
  t = hn::MulAdd(z, t, c(4.16666666666666019037e-02));
  const VF64 half = hn::Mul(z, c(0.5));
  const VF64 w = hn::Sub(c(1.0), half);
  const VF64 rest = hn::Sub(hn::Sub(c(1.0), w), half);  // what the subtraction lost
  cos = hn::Add(w, hn::MulAdd(hn::Mul(z, z), t, rest));
}

// True where y, known to 2^-50 relative, may round to either of two floats: its bits below those of
// a float lie within 8 of the middle.
HWY_INLINE hn::Mask<DF64> NearTie(VF64 y) {
  const DU64 du;
  const VU64 bits = hn::BitCast(du, y);
  const VU64 from_tie =
      hn::And(hn::Sub(bits, hn::Set(du, 0x10000000 - 8)), hn::Set(du, 0x1FFFFFFF));
  return hn::RebindMask(DF64(), hn::Lt(hn::BitCast(DI64(), from_tie), hn::Set(DI64(), 17)));
}

// What a vector of pairs shares or takes from its positions.
struct LanePositions {
  VU64 magnitude;  // |p|
  VU64 sin_sign;   // the sign bit that sin gets
  VF64 floor;      // radians: below, 128 bits of phase hold too few digits
};

// cos and sin of a vector of phases; true if some lane must be done again exactly.
HWY_INLINE bool CosSinOfPhase(PhaseVector phase, const LanePositions& p, VF64 scale,
                              hn::Vec<DF32>& cos_out, hn::Vec<DF32>& sin_out) {
  const DF64 dd;
  const DU64 du;
  const DF32 df;
  const VU64 quadrant = hn::ShiftRight<62>(hn::Add(phase.hi, hn::Set(du, uint64_t{1} << 61)));
  const VF64 x = hn::Mul(Remainder(phase, quadrant), hn::Set(dd, 6.28318530717958647692));
  VF64 sin, cos;
  SinCosKernel(x, sin, cos);
  const VU64 one = hn::Set(du, 1);
  const auto swap = hn::RebindMask(dd, hn::Eq(hn::And(quadrant, one), one));
  // sin is negative in quadrants 2, 3; cos in 1, 2.
  const VU64 sin_bit = hn::Xor(hn::ShiftLeft<63>(hn::ShiftRight<1>(quadrant)), p.sin_sign);
  const VU64 cos_bit = hn::ShiftLeft<63>(hn::ShiftRight<1>(hn::Add(quadrant, one)));
  const VF64 y_sin =
      hn::Mul(hn::Xor(hn::IfThenElse(swap, cos, sin), hn::BitCast(dd, sin_bit)), scale);
  const VF64 y_cos =
      hn::Mul(hn::Xor(hn::IfThenElse(swap, sin, cos), hn::BitCast(dd, cos_bit)), scale);
  // Adding zero turns -0 into +0: R(0) is the identity bit for bit, whichever way it turns.
  cos_out = hn::DemoteTo(df, hn::Add(y_cos, hn::Zero(dd)));
  sin_out = hn::DemoteTo(df, hn::Add(y_sin, hn::Zero(dd)));
  const VF64 magnitude = hn::Abs(x);
  const auto short_of_digits = hn::And(hn::Lt(magnitude, p.floor), hn::Gt(magnitude, hn::Zero(dd)));
  return !hn::AllFalse(dd, hn::Or(short_of_digits, hn::Or(NearTie(y_sin), NearTie(y_cos))));
}

// Up to Lanes() numbers from memory, the rest zero; never reads past `count`.
template <class D>
HWY_INLINE hn::Vec<D> LoadSome(D d, const hn::TFromD<D>* from, size_t count) {
  if (HWY_LIKELY(count >= hn::Lanes(d))) return hn::LoadU(d, from);
  HWY_ALIGN hn::TFromD<D> buffer[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)] = {};
  std::memcpy(buffer, from, count * sizeof(buffer[0]));
  return hn::Load(d, buffer);
}

template <class D>
HWY_INLINE void StoreSome(hn::Vec<D> v, D d, hn::TFromD<D>* to, size_t count) {
  if (HWY_LIKELY(count >= hn::Lanes(d))) return hn::StoreU(v, d, to);
  HWY_ALIGN hn::TFromD<D> buffer[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
  hn::Store(v, d, buffer);
  std::memcpy(to, buffer, count * sizeof(buffer[0]));
}

// The floor of a phase that is off by `units` of 2^-128 turns, for a relative error below 2^-52.
HWY_INLINE VF64 FloorOf(VF64 units) { return hn::Mul(units, hn::Set(DF64(), 6.3 * 0x1p-75)); }

// All lanes at one position.
HWY_INLINE LanePositions SamePosition(const RowSource& source, int64_t position, bool wide) {
  const DU64 du;
  const uint64_t magnitude = magnitude_of(position);
  const double units = wide ? 1.0 : static_cast<double>(magnitude);
  return {hn::Set(du, magnitude),
          hn::Set(du, static_cast<uint64_t>((position < 0) != source.negate_sin) << 63),
          FloorOf(hn::Set(DF64(), units))};
}

// Each lane at the position of its pair's axis.
HWY_INLINE LanePositions PositionsOfLanes(const RowSource& source, const int64_t* positions,
                                          int64_t pair, size_t count) {
  const DU64 du;
  HWY_ALIGN uint64_t magnitude[HWY_MAX_BYTES / 8] = {}, sign[HWY_MAX_BYTES / 8] = {};
  HWY_ALIGN double units[HWY_MAX_BYTES / 8] = {};
  for (size_t i = 0; i < count; ++i) {
    const int64_t p = positions[source.axis[pair + static_cast<int64_t>(i)]];
    magnitude[i] = magnitude_of(p);
    sign[i] = static_cast<uint64_t>((p < 0) != source.negate_sin) << 63;
    units[i] = static_cast<double>(magnitude[i]);
  }
  return {hn::Load(du, magnitude), hn::Load(du, sign), FloorOf(hn::Load(DF64(), units))};
}

// The phases of `count` pairs by 192-bit arithmetic, for positions of more than 32 bits and tiny
// frequencies; the last bit that Remainder keeps is sticky, so that only zero looks like zero.
HWY_INLINE PhaseVector WidePhase(const RowSource& source, VU64 magnitudes, int64_t pair,
                                 size_t count) {
  const DU64 du;
  HWY_ALIGN uint64_t magnitude[HWY_MAX_BYTES / 8], hi[HWY_MAX_BYTES / 8] = {},
                                                                      mid[HWY_MAX_BYTES / 8] = {};
  hn::Store(magnitudes, du, magnitude);
  for (size_t i = 0; i < count; ++i) {
    const UInt192 phase = multiplied(source, pair + static_cast<int64_t>(i), magnitude[i]);
    hi[i] = phase.hi;
    mid[i] = phase.mid | static_cast<uint64_t>((phase.lo | (phase.mid & 1)) != 0) << 1;
  }
  return {hn::Load(du, hi), hn::Load(du, mid)};
}

// Does again, exactly, each of `count` pairs: a rounding test fails about once in 27 million
// entries.
inline HWY_NOINLINE void RedoExactly(const RowSource& source, const int64_t* positions, int64_t pair,
                              size_t count, float* cos, float* sin) {
  for (int64_t i = pair; i < pair + static_cast<int64_t>(count); ++i) {
    cos_sin_exactly(source, i, positions[source.axis ? source.axis[i] : 0], cos + i, sin + i);
  }
}

HWY_INLINE void CosSinRow(const RowSource& source, const int64_t* positions, float* cos,
                          float* sin) {
  const DF64 dd;
  const DU64 du;
  const DF32 df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(dd));
  const VF64 scale = hn::Set(dd, source.scale);
  bool wide = source.wide || magnitude_of(positions[0]) >> 32 != 0;
  LanePositions p = SamePosition(source, positions[0], wide);
  for (int64_t pair = 0; pair < source.pairs; pair += lanes) {
    const auto count = static_cast<size_t>(HWY_MIN(lanes, source.pairs - pair));
    if (source.axis != nullptr) {
      p = PositionsOfLanes(source, positions, pair, count);
      wide = source.wide || !hn::AllTrue(du, hn::Eq(hn::ShiftRight<32>(p.magnitude), hn::Zero(du)));
      if (wide) p.floor = FloorOf(hn::Set(dd, 1.0));
    }
    const PhaseVector phase =
        HWY_UNLIKELY(wide) ? WidePhase(source, p.magnitude, pair, count)
                           : MultiplyPhase(p.magnitude, {LoadSome(du, source.hi + pair, count),
                                                         LoadSome(du, source.mid + pair, count)});
    hn::Vec<DF32> c, s;
    const bool again = CosSinOfPhase(phase, p, scale, c, s);
    StoreSome(c, df, cos + pair, count);
    StoreSome(s, df, sin + pair, count);
    if (HWY_UNLIKELY(again)) RedoExactly(source, positions, pair, count, cos, sin);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
