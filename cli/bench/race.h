#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ropewalk::cli {

struct Times {
  double least = 0, median = 0;  // seconds of one call
};

// Times each of `entries` in turn, `rounds` times over, so that all see the same machine; short
// calls are repeated until the clock's own time does not count.
std::vector<Times> race(const std::vector<std::function<void()>>& entries, int rounds);

}  // namespace ropewalk::cli
