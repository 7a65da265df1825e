#include "ropewalk/base/random.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

TEST(Philox, KnownAnswers) {
  // The published vectors of Random123 (kat_vectors, philox4x32 10).
  EXPECT_EQ(philox4x32(0, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(NormalAt, HasMeanZeroAndVarianceOne) {
  double sum = 0, squares = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = normal_at(1, static_cast<uint64_t>(i));
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
}

}  // namespace
}  // namespace ropewalk
