#include "ropewalk/base/spare_processors.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ropewalk {
namespace {

TEST(SpareProcessors, RunningThreadsAreTheFourthField) {
  EXPECT_EQ(running_threads("0.52 0.58 0.59 3/602 12345\n"), 3);
  EXPECT_EQ(running_threads("128.00 130.01 99.97 1024/99999 1"), 1024);
  for (const char* text : {"", " ", "0.52 0.58 0.59", "0.52 0.58 0.59 3", "0.52 0.58 0.59 /602 1",
                           "0.52 0.58 0.59 x/602 1", "0.52 0.58 0.59 -3/602 1",
                           "0.52 0.58 0.59 99999999999/1 1", "0.52,0.58,0.59,3/602"}) {
    EXPECT_EQ(running_threads(text), std::nullopt) << text;
  }
}

TEST(SpareProcessors, AreThoseThatNobodyWants) {
  EXPECT_EQ(spare_processors(2, 0), 2);
  EXPECT_EQ(spare_processors(2, 1), 1);
  EXPECT_EQ(spare_processors(2, 2), 0);
  EXPECT_EQ(spare_processors(2, 20), 0);
  EXPECT_EQ(spare_processors(64, 30), 34);
}

TEST(SpareProcessors, OfThisMachineAreAtMostItsProcessors) {
  for (int own : {0, 1, 1000000}) {
    const int spare = spare_processors_now(own);
    EXPECT_GE(spare, 0);
    EXPECT_LE(spare, ::sysconf(_SC_NPROCESSORS_ONLN));
  }
}

}  // namespace
}  // namespace ropewalk
