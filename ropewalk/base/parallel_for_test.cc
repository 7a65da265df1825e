#include "ropewalk/base/parallel_for.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ropewalk/testing/errors.h"

// The race detector knows no threads in a child of a program that has several.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ROPEWALK_TSAN 1
#endif
#endif

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

// Each task of each call once, whoever else is calling and from wherever.
TEST(ParallelFor, CallsFromSeveralThreadsAndFromTasks) {
  std::atomic<int> ran{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 6; ++t) {
    callers.emplace_back([&] {
      for (int call = 0; call < 200; ++call) {
        std::vector<int> seen(40, 0);
        parallel_for({.threads = 4}, 40, [&](int64_t i) {
          ++seen[static_cast<size_t>(i)];
          parallel_for({.threads = 4}, 3, [&](int64_t) { ++ran; });
        });
        for (const int count : seen) ASSERT_EQ(count, 1);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(ran, 6 * 200 * 40 * 3);
}

// What a child does after fork(), as an exit code.
int in_a_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool all_run() {
  std::atomic<int> ran{0};
  parallel_for({.threads = 4}, 1000, [&](int64_t) { ++ran; });
  return ran == 1000;
}

size_t threads_that_run() {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for({.threads = 4}, 1000, [&](int64_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  return threads.size();
}

#if !defined(__SANITIZE_THREAD__) && !defined(ROPEWALK_TSAN)
TEST(ParallelFor, AChildHasThreadsOfItsOwn) {
  EXPECT_TRUE(all_run());
  EXPECT_EQ(in_a_child([] { return all_run() && all_run(); }), 0);
}

// No address space is left for the stack of a thread; the caller does it all.
TEST(ParallelFor, WithoutAThreadToBeHad) {
  EXPECT_EQ(in_a_child([] {
              pthread_attr_t attributes;
              return pthread_attr_init(&attributes) == 0 &&
                     pthread_attr_setstacksize(&attributes, size_t{1} << 47) == 0 &&
                     pthread_setattr_default_np(&attributes) == 0 && all_run() &&
                     threads_that_run() == 1;
            }),
            0);
}
#endif

}  // namespace
}  // namespace ropewalk
