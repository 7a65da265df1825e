// Rows of cos and sin for the target that is being compiled. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROWS_INL_H_
#undef ROPEWALK_KERNELS_ROWS_INL_H_
#else
#define ROPEWALK_KERNELS_ROWS_INL_H_
#endif

#include <vector>

#include <hwy/highway.h>

#include "ropewalk/kernels/rows/phase-inl.h"
#include "ropewalk/kernels/rows/rows.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

// True where y, known to 8 of its last places, may round to either of two floats: the 29 bits that
// a float drops lie within 8 of the middle.
HWY_INLINE hn::Mask<DF64> NearTie(VF64 y) {
  const DU64 du;
  const VU64 from_tie = hn::Sub(hn::BitCast(du, y), hn::Set(du, 0x10000000 - 8));
  return hn::RebindMask(DF64(), hn::Eq(hn::And(from_tie, hn::Set(du, 0x1FFFFFF0)), hn::Zero(du)));
}

// The cosine and sine of a phase, of any quadrant, in double.
HWY_INLINE void CosSinOfAngle(VU64 phase_hi, VF64 x, VU64 sin_sign, VF64& y_cos, VF64& y_sin) {
  const DF64 dd;
  const DU64 du;
  VF64 sin, cos;
  SinCosKernel(x, sin, cos);
  const VU64 quarter = hn::Set(du, uint64_t{1} << 62), top = hn::Set(du, uint64_t{1} << 63);
  const VU64 quadrant = hn::Add(phase_hi, hn::Set(du, uint64_t{1} << 61));  // in its two top bits
  const auto swap = hn::RebindMask(dd, hn::TestBit(quadrant, quarter));
  // sin is negative in quadrants 2, 3; cos in 1, 2.
  const VU64 sin_bit = hn::Xor(hn::And(quadrant, top), sin_sign);
  const VU64 cos_bit = hn::And(hn::Add(quadrant, quarter), top);
  y_sin = hn::Xor(hn::IfThenElse(swap, cos, sin), hn::BitCast(dd, sin_bit));
  y_cos = hn::Xor(hn::IfThenElse(swap, sin, cos), hn::BitCast(dd, cos_bit));
}

// cos and sin of a vector of phases; true if some lane must be done again exactly.
HWY_INLINE bool CosSinOfPhase(PhaseVector phase, const LanePositions& p, VF64 scale,
                              hn::Vec<DF32>& cos_out, hn::Vec<DF32>& sin_out) {
  const DF64 dd;
  const DF32 df;
  const VF64 x = AngleOf(phase);
  VF64 y_cos, y_sin;
  CosSinOfAngle(phase.hi, x, p.sin_sign, y_cos, y_sin);
  y_cos = hn::Mul(y_cos, scale);
  y_sin = hn::Mul(y_sin, scale);
  cos_out = hn::DemoteTo(df, y_cos);
  sin_out = hn::DemoteTo(df, y_sin);
  const auto undecided =
      hn::Or(hn::Lt(hn::Abs(x), p.floor), hn::Or(NearTie(y_sin), NearTie(y_cos)));
  if (HWY_LIKELY(hn::AllFalse(dd, undecided))) return false;
  // Adding zero turns -0 into +0: R(0) is the identity bit for bit, whichever way it turns.
  cos_out = hn::DemoteTo(df, hn::Add(y_cos, hn::Zero(dd)));
  sin_out = hn::DemoteTo(df, hn::Add(y_sin, hn::Zero(dd)));
  return !hn::AllFalse(dd, hn::AndNot(NoAngle(phase), undecided));
}

// Does again, exactly, each of `count` pairs: a rounding test fails about once in 27 million
// entries.
inline HWY_NOINLINE void RedoExactly(const RowSource& source, const int64_t* positions,
                                     int64_t pair, size_t count, float* cos, float* sin) {
  for (int64_t i = pair; i < pair + static_cast<int64_t>(count); ++i) {
    cos_sin_exactly(source, i, positions[source.axis ? source.axis[i] : 0], cos + i, sin + i);
  }
}

// One vector of pairs of a row.
HWY_INLINE void CosSinVector(const RowSource& source, const int64_t* positions,
                             const LanePositions& p, bool wide, int64_t pair, size_t count,
                             float* cos, float* sin) {
  const DF32 df;
  const VF64 scale = hn::Set(DF64(), source.scale);
  hn::Vec<DF32> c, s;
  const bool again = CosSinOfPhase(PhaseOf(source, p, wide, pair, count), p, scale, c, s);
  StoreSome(c, df, cos + pair, count);
  StoreSome(s, df, sin + pair, count);
  if (HWY_UNLIKELY(again)) RedoExactly(source, positions, pair, count, cos, sin);
}

HWY_INLINE void CosSinRow(const RowSource& source, const int64_t* positions, float* cos,
                          float* sin) {
  const DF64 dd;
  const DU64 du;
  const auto lanes = static_cast<int64_t>(hn::Lanes(dd));
  bool wide = IsWide(source, positions[0]);
  LanePositions p = SamePosition(source, positions[0], wide);
  for (int64_t pair = 0; pair < source.pairs; pair += lanes) {
    const auto count = static_cast<size_t>(HWY_MIN(lanes, source.pairs - pair));
    if (source.axis != nullptr) {
      p = PositionsOfLanes(source, positions, pair, count);
      wide = source.wide || !hn::AllTrue(du, hn::Eq(hn::ShiftRight<32>(p.magnitude), hn::Zero(du)));
      if (wide) p.floor = FloorOf(hn::Set(dd, 1.0));
    }
    CosSinVector(source, positions, p, wide, pair, count, cos, sin);
  }
}

// A row in double, each number within 4 u of the exact one (u = 2^-53, times `scale`).
HWY_INLINE void CosSinInDouble(const RowSource& source, int64_t position, double scale, double* cos,
                               double* sin) {
  const DF64 dd;
  const auto lanes = static_cast<int64_t>(hn::Lanes(dd));
  const bool wide = IsWide(source, position);
  const LanePositions p = SamePosition(source, position, wide);
  for (int64_t pair = 0; pair < source.pairs; pair += lanes) {
    const auto count = static_cast<size_t>(HWY_MIN(lanes, source.pairs - pair));
    const PhaseVector phase = PhaseOf(source, p, wide, pair, count);
    VF64 c, s;
    CosSinOfAngle(phase.hi, AngleOf(phase), p.sin_sign, c, s);
    StoreSome(hn::Mul(c, hn::Set(dd, scale)), dd, cos + pair, count);
    StoreSome(hn::Mul(s, hn::Set(dd, scale)), dd, sin + pair, count);
  }
}

// True where y, off by at most 16 u of `least` 2^9, certainly rounds as the exact number does: it
// is at least `least`, where that error is 8192 of its last places, and as far from a tie.
HWY_INLINE hn::Mask<DF64> Decided(VF64 y, VF64 least) {
  const DU64 du;
  const VU64 from_tie = hn::Sub(hn::BitCast(du, y), hn::Set(du, 0x10000000 - 8192));
  const auto far =
      hn::RebindMask(DF64(), hn::Ne(hn::And(from_tie, hn::Set(du, 0x1FFFC000)), hn::Zero(du)));
  return hn::And(far, hn::Ge(hn::Abs(y), least));
}

// The row r steps after `base` (both in double, [pairs]), by the addition theorem:
//   cos(a + b) = cos a cos b - sin a sin b,  sin(a + b) = sin a cos b + cos a sin b.
// Each factor is within 4 u, so each number within 16 u of scale; the vectors in which that does
// not decide the rounding (one in fifty, and the slow pairs near position 0) take the polynomial.
HWY_INLINE void CosSinStep(const RowSource& source, const double* base_cos, const double* base_sin,
                           const double* step_cos, const double* step_sin, int64_t position,
                           float* cos, float* sin) {
  const DF64 dd;
  const DF32 df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(dd));
  const VF64 least = hn::Set(dd, source.scale * 0x1p-9);
  for (int64_t pair = 0; pair < source.pairs; pair += lanes) {
    const auto count = static_cast<size_t>(HWY_MIN(lanes, source.pairs - pair));
    const VF64 c0 = LoadSome(dd, base_cos + pair, count), s0 = LoadSome(dd, base_sin + pair, count);
    const VF64 cr = LoadSome(dd, step_cos + pair, count), sr = LoadSome(dd, step_sin + pair, count);
    const VF64 c = hn::MulSub(c0, cr, hn::Mul(s0, sr));
    const VF64 s = hn::MulAdd(s0, cr, hn::Mul(c0, sr));
    StoreSome(hn::DemoteTo(df, c), df, cos + pair, count);
    StoreSome(hn::DemoteTo(df, s), df, sin + pair, count);
    const auto decided = hn::And(Decided(c, least), Decided(s, least));
    if (HWY_LIKELY(hn::AllTrue(dd, decided))) continue;
    const bool wide = IsWide(source, position);
    CosSinVector(source, &position, SamePosition(source, position, wide), wide, pair, count, cos,
                 sin);
  }
}

// Rows of consecutive positions; see cos_sin_run.
HWY_INLINE void CosSinRun(const RowSource& source, const RowSteps& steps, int64_t first,
                          int64_t rows, int64_t stride, float* cos, float* sin) {
  const bool by_steps = steps.rows > 0 && rows > 1;
  constexpr int64_t kPairs = 256;  // of usual heads: no allocation
  double small[2 * kPairs];
  std::vector<double> large(
      by_steps && source.pairs > kPairs ? static_cast<size_t>(2 * source.pairs) : 0);
  double* const base_cos = large.empty() ? small : large.data();
  double* const base_sin = base_cos + source.pairs;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = first + row;
    float *const c = cos + row * stride, *const s = sin + row * stride;
    if (!by_steps) {
      CosSinRow(source, &position, c, s);
      continue;
    }
    const int64_t step = row % steps.rows;
    if (step == 0) CosSinInDouble(source, position, source.scale, base_cos, base_sin);
    const double* step_cos = steps.cos.data() + step * source.pairs;
    const double* step_sin = steps.sin.data() + step * source.pairs;
    CosSinStep(source, base_cos, base_sin, step_cos, step_sin, position, c, s);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
