#include "ropewalk/kernels/rows/phase.h"
#include "ropewalk/kernels/rows/rows.h"

namespace ropewalk {

void cos_sin_exactly(const RowSource& source, int64_t pair, int64_t position, float* cos,
                     float* sin, const FloatFormat& format) {
  const Phase phase = exact_phase(source, pair, position);
  // 8 |r| <= 1 turns into the angle by pi/4; |r| is exactly 1/8 only at the end of the quadrant.
  Fraction eighths;
  eighths.limb = {phase.r.hi << 3 | phase.r.mid >> 61, phase.r.mid << 3 | phase.r.lo >> 61,
                  phase.r.lo << 3, 0, 0};
  const bool end = phase.r.hi >> 61 != 0;
  const Fraction x = end ? kQuarterPi : eighths * kQuarterPi;
  const Fraction sine = sin_series(x);
  const Fraction gap = one_minus_cos_series(x);
  const bool one = gap.is_zero();
  const float s = rounded_to_float(0, sine, source.scale, format);
  const float c =
      rounded_to_float(one ? 1 : 0, one ? Fraction{} : Fraction{} - gap, source.scale, format);
  const float signed_s = phase.r_negative ? -s : s;
  const bool swap = phase.quadrant & 1;
  const float cos_magnitude = swap ? signed_s : c, sin_magnitude = swap ? c : signed_s;
  *cos = phase.quadrant == 1 || phase.quadrant == 2 ? -cos_magnitude : cos_magnitude;
  const bool flip = (phase.quadrant >= 2) != (phase.position_negative != source.negate_sin);
  *sin = flip ? -sin_magnitude : sin_magnitude;
  // Zero has no sign of its own: R(0) is the identity bit for bit.
  if (*cos == 0) *cos = 0;
  if (*sin == 0) *sin = 0;
}

}  // namespace ropewalk
