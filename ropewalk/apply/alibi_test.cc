#include "ropewalk/apply/alibi.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::Pointwise;

// get_slopes of the authors' code, as it is written there: a recursion on the power of two below.
std::vector<double> authors_slopes(int64_t heads) {
  const double log2_heads = std::log2(static_cast<double>(heads));
  const int64_t closest = int64_t{1} << static_cast<int64_t>(std::floor(log2_heads));
  std::vector<double> slopes;
  if (closest == heads) {
    const double start = std::pow(2.0, -std::pow(2.0, -(log2_heads - 3)));
    double slope = start;
    for (int64_t i = 0; i < heads; ++i, slope *= start) slopes.push_back(slope);
    return slopes;
  }
  slopes = authors_slopes(closest);
  const std::vector<double> finer = authors_slopes(2 * closest);
  for (int64_t i = 0; i < heads - closest; ++i) slopes.push_back(finer[static_cast<size_t>(2 * i)]);
  return slopes;
}

TEST(Alibi, EightHeads) {
  EXPECT_THAT(alibi_slopes({.heads = 8}), ElementsAre(0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f,
                                                      0.015625f, 0.0078125f, 0.00390625f));
}

TEST(Alibi, SmallCounts) {
  EXPECT_THAT(alibi_slopes({.heads = 1}), ElementsAre(0.00390625f));
  EXPECT_THAT(alibi_slopes({.heads = 2}), ElementsAre(0.0625f, 0.00390625f));
  EXPECT_THAT(alibi_slopes({.heads = 3}), ElementsAre(0.0625f, 0.00390625f, 0.25f));
}

// A uniform geometric series would begin with 0.629961 (ml-explore/mlx#343).
TEST(Alibi, A01_TwelveHeads) {
  EXPECT_THAT(alibi_slopes({.heads = 12}),
              Pointwise(FloatEq(), {.5f, .25f, .125f, .0625f, .03125f, .015625f, .0078125f,
                                    .00390625f, .70710678f, .35355339f, .17677670f, .08838835f}));
}

// paiml/aprender#2143: h from 0 in the exponent gives head 0 the slope 1.
TEST(Alibi, A03_FirstSlopeIsNeverOne) {
  for (int64_t heads = 1; heads <= 256; ++heads) {
    for (float slope : alibi_slopes({.heads = heads})) {
      EXPECT_GT(slope, 0.0f) << heads;
      EXPECT_LT(slope, 1.0f) << heads;
    }
  }
}

// A rank that holds heads 8..15 of 16 takes this half, not the slopes of an eight-head model
// (bigscience-workshop/Megatron-DeepSpeed#227).
TEST(Alibi, A04_SecondHalfOfSixteen) {
  const std::vector<float> slopes = alibi_slopes({.heads = 16});
  const std::vector<float> half(slopes.begin() + 8, slopes.end());
  const std::vector<float> expected = {.044194f, .03125f,  .022097f, .015625f,
                                       .011049f, .007813f, .005524f, .003906f};
  EXPECT_THAT(half, Pointwise(testing::FloatNear(1e-6f), expected));
}

TEST(Alibi, Baichuan13B) {
  const std::vector<float> slopes = alibi_slopes({.heads = 40});
  ASSERT_EQ(slopes.size(), 40u);
  EXPECT_FLOAT_EQ(slopes[0], 0.8408964f);  // 2^(-8/32)
  EXPECT_FLOAT_EQ(slopes[31], 0.00390625f);
  EXPECT_FLOAT_EQ(slopes[32], 0.9170040f);  // 2^(-8/64)
  EXPECT_FLOAT_EQ(slopes[39], 0.2726269f);  // 2^(-8*15/64)
}

// The authors multiply powers in double, ropewalk raises each once: both round to within one float.
TEST(Alibi, AgreesWithTheAuthorsForEveryCount) {
  for (int64_t heads = 1; heads <= 300; ++heads) {
    const std::vector<float> slopes = alibi_slopes({.heads = heads});
    const std::vector<double> expected = authors_slopes(heads);
    ASSERT_EQ(slopes.size(), expected.size());
    for (size_t h = 0; h < slopes.size(); ++h) {
      const double ulp = std::nextafter(slopes[h], 2.0f) - slopes[h];
      ASSERT_NEAR(slopes[h], expected[h], 0.51 * ulp) << heads << " heads, head " << h;
    }
  }
}

TEST(Alibi, MaxBiasIsTheExponentOfTheLastPower) {
  EXPECT_THAT(alibi_slopes({.heads = 4, .max_bias = 16}),
              ElementsAre(0.0625f, 0.00390625f, 0x1p-12f, 0x1p-16f));
}

ROPEWALK_PROPERTY(Alibi, PowersOfTwoArePrefixes, [](unsigned char raw) {
  // The first n slopes of H heads are those of an n-head model, n the power of two below H.
  const int64_t heads = 1 + raw;
  const int64_t n = int64_t{1} << static_cast<int>(std::floor(std::log2(heads)));
  std::vector<float> slopes = alibi_slopes({.heads = heads});
  slopes.resize(static_cast<size_t>(n));
  RC_ASSERT(slopes == alibi_slopes({.heads = n}));
})

TEST(Alibi, A30_HeadCounts) {
  EXPECT_ROPEWALK_ERROR(alibi_slopes({.heads = 0}), ErrorCode::invalid_argument,
                        "alibi heads: expected 1..1048576, found 0");
  EXPECT_ROPEWALK_ERROR(alibi_slopes({.heads = -4}), ErrorCode::invalid_argument, "found -4");
  EXPECT_ROPEWALK_ERROR(alibi_slopes({.heads = (1 << 20) + 1}), ErrorCode::invalid_argument,
                        "found 1048577");
  EXPECT_EQ(alibi_slopes({.heads = 1 << 20}).size(), size_t{1} << 20);
}

TEST(Alibi, BadMaxBias) {
  for (double bad : {0.0, -8.0, std::numeric_limits<double>::quiet_NaN(),
                     std::numeric_limits<double>::infinity()}) {
    EXPECT_ROPEWALK_ERROR(alibi_slopes({.heads = 8, .max_bias = bad}), ErrorCode::invalid_argument,
                          "alibi max_bias: expected a positive number");
  }
}

}  // namespace
}  // namespace ropewalk
