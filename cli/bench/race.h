#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ropewalk::cli {

struct Times {
  double least = 0, median = 0;  // seconds of one call
};

// Time that passes, or time in which the calling thread ran: a busy machine stops a long call but
// not a short one beside it.
enum class Clock { wall, thread };

// Times each of `entries` in turn, `rounds` times over, so that all see the same machine; short
// calls are repeated until the clock's own time does not count.
std::vector<Times> race(const std::vector<std::function<void()>>& entries, int rounds,
                        Clock clock = Clock::wall);

}  // namespace ropewalk::cli
