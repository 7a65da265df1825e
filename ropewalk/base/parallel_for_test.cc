#include "ropewalk/base/parallel_for.h"

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

TEST(ParallelFor, RunsEachTaskOnceAndThrowsTheFirstError) {
  for (int threads : {0, 1, 3, 1000}) {
    std::mutex mutex;
    std::multiset<int64_t> seen;
    parallel_for({.threads = threads}, 100, [&](int64_t i) {
      const std::lock_guard lock(mutex);
      seen.insert(i);
    });
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(std::set<int64_t>(seen.begin(), seen.end()).size(), 100u);
    std::atomic<int> ran{0};
    EXPECT_ROPEWALK_ERROR(parallel_for({.threads = threads}, 50,
                                       [&](int64_t i) {
                                         ++ran;
                                         if (i % 20 == 7) {
                                           throw Error(ErrorCode::io, "task " + std::to_string(i));
                                         }
                                       }),
                          ErrorCode::io, "task 7");
    EXPECT_EQ(ran, 50);
  }
  EXPECT_NO_THROW(parallel_for({}, 0, [](int64_t) { throw 1; }));
}

}  // namespace
}  // namespace ropewalk
