// How much memory attend takes beside its inputs and output, as the system counts it.
#include <cstdint>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/attention/attention_testing.h"

// The sanitizers keep memory that was freed.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROPEWALK_SANITIZED 1
#endif
#endif
#if !defined(ROPEWALK_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace ropewalk {
namespace {

// A line of /proc/self/status in KiB; -1 where there is none.
int64_t status(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1));
  }
  return -1;
}

// All scores of 2 heads would be 8 GB.
TEST(AttentionMemory, IsBelow64MegabytesAt32768Tokens) {
  constexpr int64_t kTokens = 32768;
  const Tensor q = testing::random_tensor({1, kTokens, 2, 16}, 1),
               k = testing::random_tensor({1, kTokens, 1, 16}, 2);
  Tensor out = make_tensor(DType::f32, q.shape);
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak becomes what is in use now
  const int64_t before = status("VmRSS"), peak = status("VmHWM");
  if (peak < 0 || peak > before + 4096) GTEST_SKIP() << "the system does not count";
  // What a query sees changes the time, not the memory.
  attend(q.view(), k.view(), k.view(), out.view(),
         {.causal = true, .window_left = 64, .parallel = {.threads = 2}});
  EXPECT_LT(status("VmHWM") - before, 64 << 10);
}

}  // namespace
}  // namespace ropewalk

#endif
