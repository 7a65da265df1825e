#include <algorithm>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

RopeConfig proportional(double theta, int64_t dim, double fraction) {
  return scaled_config("proportional", theta, dim, {{"partial_rotary_factor", fraction}});
}

TEST(Proportional, WorkedNumber) {
  EXPECT_EQ(make_spectrum(proportional(1e4, 8, 0.5)).inv_freq,
            (std::vector<double>{1, 0.1f, 0, 0}));
}

// The exponent runs over the whole head: a quarter of its pairs turn, at the speeds that they would
// have if all did.
TEST(Proportional, Gemma4) {
  const std::vector<double> found = make_spectrum(proportional(1e6, 512, 0.25)).inv_freq;
  const std::vector<double> whole = make_spectrum(scaled_config("default", 1e6, 512)).inv_freq;
  ASSERT_EQ(found.size(), 256u);
  for (size_t i = 0; i < 256; ++i) EXPECT_EQ(found[i], i < 64 ? whole[i] : 0) << i;
}

ROPEWALK_PROPERTY(Proportional, TurnsTheFloorOfItsShare, [] {
  const int64_t dim = 2 * *rc::gen::inRange<int64_t>(1, 200);
  const double fraction = *rc::gen::inRange(0, 1001) / 1000.0;
  const std::vector<double> found = make_spectrum(proportional(1e4, dim, fraction)).inv_freq;
  RC_ASSERT(std::ranges::count(found, 0) ==
            dim / 2 - static_cast<int64_t>(fraction * static_cast<double>(dim) / 2));
  RC_ASSERT(std::ranges::is_sorted(found, std::greater<>()));
});

}  // namespace
}  // namespace ropewalk
