#include "cli/plot/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ropewalk::plot {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> out;
  for (const Tick& tick : axis.ticks) out.push_back(tick.label);
  return out;
}

TEST(Axis, TicksAreRound) {
  EXPECT_DOUBLE_EQ(tick_step(100, 8), 20);
  EXPECT_DOUBLE_EQ(tick_step(512, 8), 64);
  EXPECT_DOUBLE_EQ(tick_step(2, 4), 0.5);
  EXPECT_THAT(labels(linear_axis(-1, 1, 4, false)), ElementsAre("−1.0", "−0.5", "0", "0.5", "1.0"));
  EXPECT_THAT(labels(linear_axis(0, 131072, 4, false)),
              ElementsAre("0", "32,768", "65,536", "98,304", "131,072"));
  EXPECT_THAT(labels(log_axis(1, 4096)), ElementsAre("1", "10", "100", "1000"));
  EXPECT_THAT(labels(log_axis(3, 60)), ElementsAre("5", "10", "20", "50"));
  EXPECT_THAT(labels(cell_axis(100, {}, 3, 18)),
              ElementsAre("0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "99"));
  EXPECT_THAT(labels(cell_axis(3, {"我", "愛", "你"}, 80, 18)), ElementsAre("我", "愛", "你"));
  EXPECT_EQ(number_label(-2.5e-7, 1e-7), "−2.5e−7");
}

}  // namespace
}  // namespace ropewalk::plot
