#include "ropewalk/base/half.h"

#include <bit>
#include <cmath>
#include <utility>

#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

TEST(Half, EveryF16GoesThereAndBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = float_from_f16(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_f16(f16_from_float(value))));
      continue;
    }
    EXPECT_EQ(f16_from_float(value), bits);
    const int exponent = (bits >> 10) & 31;
    const double fraction = bits & 1023;
    const double want = exponent == 31 ? INFINITY
                        : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                       : std::ldexp(fraction, -24);
    EXPECT_EQ(std::fabs(value), want);
  }
}

TEST(Half, EveryBf16GoesThereAndBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = float_from_bf16(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_bf16(bf16_from_float(value))));
    } else {
      EXPECT_EQ(bf16_from_float(value), bits);
    }
  }
}

ROPEWALK_PROPERTY(Half, RoundsToTheNearestEven, [](uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  RC_PRE(std::isfinite(value));
  for (auto [down, up] :
       {std::pair<uint16_t (*)(float), float (*)(uint16_t)>{f16_from_float, float_from_f16},
        {bf16_from_float, float_from_bf16}}) {
    const uint16_t here = down(value);
    if (std::isinf(up(here))) continue;
    const double error = std::fabs(double{up(here)} - value);
    for (int step : {-1, 1}) {
      const auto other = static_cast<uint16_t>(here + step);
      if (((other ^ here) & 0x8000) || !std::isfinite(up(other))) continue;
      const double other_error = std::fabs(double{up(other)} - value);
      RC_ASSERT(error < other_error || (error == other_error && here % 2 == 0));
    }
  }
});

}  // namespace
}  // namespace ropewalk
