#include "cli/bench/race.h"

#include <algorithm>
#include <chrono>

namespace ropewalk::cli {
namespace {

double seconds_of(const std::function<void()>& call, int64_t repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < repeats; ++i) call();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(repeats);
}

// Calls that make up about a millisecond.
int64_t repeats_of(const std::function<void()>& call) {
  call();
  for (int64_t repeats = 1;; repeats *= 4) {
    const double seconds = seconds_of(call, repeats) * static_cast<double>(repeats);
    if (seconds > 0.0005 || repeats > 1 << 20) return repeats;
  }
}

}  // namespace

std::vector<Times> race(const std::vector<std::function<void()>>& entries, int rounds) {
  std::vector<int64_t> repeats;
  for (const auto& entry : entries) repeats.push_back(repeats_of(entry));
  std::vector<std::vector<double>> samples(entries.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < entries.size(); ++i) {
      samples[i].push_back(seconds_of(entries[i], repeats[i]));
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
