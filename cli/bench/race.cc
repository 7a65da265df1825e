#include "cli/bench/race.h"

#include <algorithm>
#include <ctime>

namespace ropewalk::cli {
namespace {

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& call, int64_t repeats, Clock clock) {
  const double start = now(clock);
  for (int64_t i = 0; i < repeats; ++i) call();
  return (now(clock) - start) / static_cast<double>(repeats);
}

// Calls that make up about a millisecond.
int64_t repeats_of(const std::function<void()>& call, Clock clock) {
  call();
  for (int64_t repeats = 1;; repeats *= 4) {
    const double seconds = seconds_of(call, repeats, clock) * static_cast<double>(repeats);
    if (seconds > 0.0005 || repeats > 1 << 20) return repeats;
  }
}

}  // namespace

std::vector<Times> race(const std::vector<std::function<void()>>& entries, int rounds,
                        Clock clock) {
  std::vector<int64_t> repeats;
  for (const auto& entry : entries) repeats.push_back(repeats_of(entry, clock));
  std::vector<std::vector<double>> samples(entries.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < entries.size(); ++i) {
      samples[i].push_back(seconds_of(entries[i], repeats[i], clock));
    }
  }
  std::vector<Times> times;
  for (std::vector<double>& list : samples) {
    std::sort(list.begin(), list.end());
    times.push_back({list.front(), list[list.size() / 2]});
  }
  return times;
}

}  // namespace ropewalk::cli
