// Rows of cos and sin for the target that is being compiled. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ROWS_INL_H_
#undef ROPEWALK_KERNELS_ROWS_INL_H_
#else
#define ROPEWALK_KERNELS_ROWS_INL_H_
#endif

#include <cstring>

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

// How a row lies in memory: pair i at cos[kStep i] and sin[kStep i]. Step 2 is for sin, cos, sin,
// cos, ... (sin[1] is cos[0]), as sinusoidal vectors have them.
template <int kStep>
HWY_INLINE void StorePairs(hn::Vec<DF32> c, hn::Vec<DF32> s, int64_t pair, size_t count, float* cos,
                           float* sin) {
  const DF32 df;
  if constexpr (kStep == 1) {
    StoreSome(c, df, cos + pair, count);
    StoreSome(s, df, sin + pair, count);
  } else if (HWY_UNLIKELY(count < hn::Lanes(df))) {
    HWY_ALIGN float buffer[2 * HWY_MAX_BYTES / sizeof(float)];
    hn::StoreInterleaved2(s, c, df, buffer);
    std::memcpy(sin + 2 * pair, buffer, 2 * count * sizeof(float));
  } else {
#if HWY_TARGET == HWY_AVX3
    alignas(64) static constexpr int32_t kInterleave[16] = {0, 8,  1, 9,  2, 10, 3, 11,
                                                            4, 12, 5, 13, 6, 14, 7, 15};
    const hn::ScalableTag<float> d;
    const auto both = hn::Combine(d, c, s);
    hn::StoreU(hn::TableLookupLanes(both, hn::SetTableIndices(d, kInterleave)), d, sin + 2 * pair);
#else
    hn::StoreInterleaved2(s, c, df, sin + 2 * pair);
#endif
  }
}

// Does again, exactly, each of `count` pairs: a rounding test fails about once in 27 million
// entries.
template <int kStep>
HWY_NOINLINE void RedoExactly(const RowSource& source, const int64_t* positions, int64_t pair,
                              size_t count, float* cos, float* sin) {
  for (int64_t i = pair; i < pair + static_cast<int64_t>(count); ++i) {
    cos_sin_exactly(source, i, positions[source.axis ? source.axis[i] : 0], cos + kStep * i,
                    sin + kStep * i);
  }
}

// One vector of pairs of a row.
template <int kStep>
HWY_INLINE void CosSinVector(const RowSource& source, const int64_t* positions,
                             const LanePositions& p, bool wide, int64_t pair, size_t count,
                             float* cos, float* sin) {
  const VF64 scale = hn::Set(DF64(), source.scale);
  hn::Vec<DF32> c, s;
  const bool again = CosSinOfPhase(PhaseOf(source, p, wide, pair, count), p, scale, c, s);
  StorePairs<kStep>(c, s, pair, count, cos, sin);
  if (HWY_UNLIKELY(again)) RedoExactly<kStep>(source, positions, pair, count, cos, sin);
}

template <int kStep = 1>
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
    CosSinVector<kStep>(source, positions, p, wide, pair, count, cos, sin);
  }
}

// Pairs [begin, end) of a row in double, each number within 4 u of the exact one (u = 2^-53, times
// `scale`); pair `begin` goes to cos[0] and sin[0].
HWY_INLINE void CosSinInDouble(const RowSource& source, int64_t position, double scale,
                               int64_t begin, int64_t end, double* cos, double* sin) {
  const DF64 dd;
  const auto lanes = static_cast<int64_t>(hn::Lanes(dd));
  const bool wide = IsWide(source, position);
  const LanePositions p = SamePosition(source, position, wide);
  for (int64_t pair = begin; pair < end; pair += lanes) {
    const auto count = static_cast<size_t>(HWY_MIN(lanes, end - pair));
    const PhaseVector phase = PhaseOf(source, p, wide, pair, count);
    VF64 c, s;
    CosSinOfAngle(phase.hi, AngleOf(phase), p.sin_sign, c, s);
    StoreSome(hn::Mul(c, hn::Set(dd, scale)), dd, cos + pair - begin, count);
    StoreSome(hn::Mul(s, hn::Set(dd, scale)), dd, sin + pair - begin, count);
  }
}

// Rounds y to float, where both ends of y +- error do so alike; else the lane of `decided` is
// false. The exact number, within that error, then rounds the same way.
HWY_INLINE hn::Vec<DF32> RoundIfSure(VF64 y, VF64 error, hn::Mask<DF32>& decided) {
  const DF32 df;
  const auto low = hn::DemoteTo(df, hn::Sub(y, error)), high = hn::DemoteTo(df, hn::Add(y, error));
  decided = hn::Eq(low, high);
  return low;
}

// A row in double, or a row of steps.
struct DoubleRow {
  const double* cos;
  const double* sin;
};

// A vector of the row some steps after `base`, by the addition theorem:
//   cos(a + b) = cos a cos b - sin a sin b,  sin(a + b) = sin a cos b + cos a sin b.
// Each factor is within 4 u, so each number within 16 u of scale. True where that decides the
// rounding of every lane.
HWY_INLINE hn::Mask<DF32> StepVector(VF64 c0, VF64 s0, VF64 cr, VF64 sr, VF64 error,
                                     hn::Vec<DF32>& c, hn::Vec<DF32>& s) {
  hn::Mask<DF32> cos_decided, sin_decided;
  c = RoundIfSure(hn::MulSub(c0, cr, hn::Mul(s0, sr)), error, cos_decided);
  s = RoundIfSure(hn::MulAdd(s0, cr, hn::Mul(c0, sr)), error, sin_decided);
  return hn::And(cos_decided, sin_decided);
}

// Pairs [begin, end) of the row at `position`. A vector in which some rounding is not decided (one
// in 2^18, and more where a sine is tiny) takes the polynomial.
template <int kStep>
HWY_INLINE void CosSinStep(const RowSource& source, DoubleRow base, DoubleRow step, int64_t begin,
                           int64_t end, int64_t position, float* cos, float* sin) {
  const DF64 dd;
  const DF32 df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(dd));
  // 16 u and what the sums with it lose.
  const VF64 error = hn::Set(dd, source.scale * 0x14p-53);
  const auto again = [&](int64_t pair, int64_t count) HWY_ATTR {
    const bool wide = IsWide(source, position);
    CosSinVector<kStep>(source, &position, SamePosition(source, position, wide), wide, pair,
                        static_cast<size_t>(count), cos, sin);
  };
  hn::Vec<DF32> c, s;
  int64_t pair = begin;
  for (; pair + lanes <= end; pair += lanes) {
    const int64_t at = pair - begin;
    const auto decided =
        StepVector(hn::LoadU(dd, base.cos + at), hn::LoadU(dd, base.sin + at),
                   hn::LoadU(dd, step.cos + at), hn::LoadU(dd, step.sin + at), error, c, s);
    StorePairs<kStep>(c, s, pair, hn::Lanes(df), cos, sin);
    if (HWY_UNLIKELY(!hn::AllTrue(df, decided))) again(pair, lanes);
  }
  if (pair == end) return;
  const auto at = static_cast<size_t>(pair - begin), count = static_cast<size_t>(end - pair);
  const auto decided = StepVector(
      LoadSome(dd, base.cos + at, count), LoadSome(dd, base.sin + at, count),
      LoadSome(dd, step.cos + at, count), LoadSome(dd, step.sin + at, count), error, c, s);
  StorePairs<kStep>(c, s, pair, count, cos, sin);
  if (!hn::AllTrue(df, decided)) again(pair, end - pair);
}

// Rows of consecutive positions; see cos_sin_run. By blocks of pairs whose steps stay in the first
// cache.
template <int kStep>
HWY_INLINE void CosSinRun(const RowSource& source, const RowSteps& steps, int64_t first,
                          int64_t rows, int64_t stride, float* cos, float* sin) {
  if (steps.rows == 0 || rows == 1) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t position = first + row;
      CosSinRow<kStep>(source, &position, cos + row * stride, sin + row * stride);
    }
    return;
  }
  constexpr int64_t kPairs = 64;
  HWY_ALIGN double base_cos[kPairs], base_sin[kPairs];
  for (int64_t begin = 0; begin < source.pairs; begin += kPairs) {
    const int64_t end = HWY_MIN(begin + kPairs, source.pairs);
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t position = first + row, step = row % steps.rows;
      if (step == 0) CosSinInDouble(source, position, source.scale, begin, end, base_cos, base_sin);
      const int64_t at = step * source.pairs + begin;
      CosSinStep<kStep>(source, {base_cos, base_sin},
                        {steps.cos.data() + at, steps.sin.data() + at}, begin, end, position,
                        cos + row * stride, sin + row * stride);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
