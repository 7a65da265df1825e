#pragma once

#include <cstdint>

#include "ropewalk/base/parallel_for.h"

namespace ropewalk::cli {

// The least that touching memory once, in place, costs on this machine: what a rotation is measured
// beside. `data` is read and written unchanged.
struct Memory {
  void* data = nullptr;
  int64_t bytes = 0;
  bool floats = true;  // x *= 1 on float32, else x ^= 0 on 32-bit words (for 16-bit types)
  // Only the first `used` bytes of each `stride` are touched; 0: all.
  int64_t used = 0, stride = 0;
};
void touch_in_place(const Memory& memory, const Parallel& parallel);

}  // namespace ropewalk::cli
