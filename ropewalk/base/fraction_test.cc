#include "ropewalk/base/fraction.h"

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

TEST(Fraction, SeriesAtKnownPoints) {
  EXPECT_EQ(rounded_to_float(0, sin_series(fraction_from_double(0.5)), 1), 0.479425538604203f);
  EXPECT_EQ(rounded_to_float(0, one_minus_cos_series(fraction_from_double(0.5)), 1),
            0.12241743810962728f);
  EXPECT_EQ(rounded_to_float(0, sin_series(kQuarterPi), 1), 0.70710678118654752f);
  // sin^2 + cos^2 = 1 to within a few of the last of 320 bits.
  const Fraction x = fraction_from_double(0.7853), s = sin_series(x), gap = one_minus_cos_series(x);
  const Fraction c = Fraction{} - gap;
  Fraction few;
  few.limb[4] = 1 << 12;
  const Fraction off = s * s + c * c + few;  // modulo 1
  EXPECT_EQ(off.limb[0] | off.limb[1] | off.limb[2] | off.limb[3], 0u);
  EXPECT_LT(off.limb[4], 1u << 13);
}

TEST(Fraction, RoundsSubnormalsAndTies) {
  EXPECT_EQ(rounded_to_float(1, {}, 0x1p-149), 0x1p-149f);
  EXPECT_EQ(rounded_to_float(1, {}, 0x1p-150), 0.f);          // a tie, to even
  EXPECT_EQ(rounded_to_float(1, {}, 0x1.8p-149), 0x1p-148f);  // a tie, to even
  EXPECT_EQ(rounded_to_float(1, {}, 0x1.000001p0), 1.f);      // a tie, to even
  EXPECT_EQ(rounded_to_float(1, {}, 0x1.000003p0), 0x1.000004p0f);
  EXPECT_EQ(rounded_to_float(1, {}, 0x1.0000010000001p0), 0x1.000002p0f);
  EXPECT_EQ(rounded_to_float(0, fraction_from_double(0x1.fffffffp-1), 1), 1.f);
}

}  // namespace
}  // namespace ropewalk
