// The phases of a vector of pairs, for the target that is being compiled. Include guard as Highway
// wants it.
#if defined(ROPEWALK_KERNELS_PHASE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_PHASE_INL_H_
#undef ROPEWALK_KERNELS_PHASE_INL_H_
#else
#define ROPEWALK_KERNELS_PHASE_INL_H_
#endif

#include <cstring>

#include <hwy/highway.h>

#include "ropewalk/kernels/rows/phase.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/kernels/simd/lower32-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF64 = hn::ScalableTag<double>;
using DI64 = hn::RebindToSigned<DF64>;
using DF32 = hn::Rebind<float, DF64>;  // as many floats as doubles
using VF64 = hn::Vec<DF64>;

// The top 128 bits of a phase, one pair per lane.
struct PhaseVector {
  VU64 hi, mid;
};

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

// 2 pi r of phase = k/4 + r, -1/8 <= r < 1/8, relative error below 2^-51 for |r| >= 2^-62. The bits
// of the phase below its quadrant, taken as signed, are r; the low word only adds.
HWY_INLINE VF64 AngleOf(PhaseVector phase) {
  const DF64 dd;
  const DI64 di;
  constexpr double kTurn = 6.28318530717958647692;
  const VF64 high = hn::ConvertTo(dd, hn::BitCast(di, hn::ShiftLeft<2>(phase.hi)));
  const VF64 low = hn::ConvertTo(dd, hn::BitCast(di, hn::ShiftRight<1>(phase.mid)));
  return hn::MulAdd(low, hn::Set(dd, kTurn * 0x1p-127),
                    hn::Mul(high, hn::Set(dd, kTurn * 0x1p-66)));
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

// What a vector of pairs shares or takes from its positions.
struct LanePositions {
  VU64 magnitude;  // |p|
  VU64 sin_sign;   // the sign bit that sin gets
  VF64 floor;      // radians: below, 128 bits of phase hold too few digits
};

// The floor of a phase that is off by `units` of 2^-128 turns, for a relative error below 2^-52;
// and where AngleOf is that good.
HWY_INLINE VF64 FloorOf(VF64 units) {
  const DF64 dd;
  return hn::Max(hn::Mul(units, hn::Set(dd, 6.3 * 0x1p-75)), hn::Set(dd, 6.3 * 0x1p-62));
}

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

// Lanes of a vector whose phase is a whole number of quarter turns.
HWY_INLINE hn::Mask<DF64> NoAngle(PhaseVector phase) {
  const DU64 du;
  const VU64 bits = hn::Or(hn::ShiftLeft<2>(phase.hi), hn::ShiftRight<1>(phase.mid));
  return hn::RebindMask(DF64(), hn::Eq(bits, hn::Zero(du)));
}

// The phases of `count` pairs at the positions `p`.
HWY_INLINE PhaseVector PhaseOf(const RowSource& source, const LanePositions& p, bool wide,
                               int64_t pair, size_t count) {
  const DU64 du;
  if (HWY_UNLIKELY(wide)) return WidePhase(source, p.magnitude, pair, count);
  return MultiplyPhase(
      p.magnitude, {LoadSome(du, source.hi + pair, count), LoadSome(du, source.mid + pair, count)});
}

HWY_INLINE bool IsWide(const RowSource& source, int64_t position) {
  return source.wide || magnitude_of(position) >> 32 != 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
