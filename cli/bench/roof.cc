#include "cli/bench/roof.h"

#include <algorithm>

namespace ropewalk::cli {
namespace {

// Volatile, or the compiler would see that nothing changes.
const volatile float kOne = 1;
const volatile uint32_t kNone = 0;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// One body for each instruction set, chosen when the program starts, as the kernels' are.
#define ROPEWALK_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ROPEWALK_CLONES
#endif

ROPEWALK_CLONES void scale(float* x, int64_t count, float factor) {
  for (int64_t i = 0; i < count; ++i) x[i] *= factor;
}

ROPEWALK_CLONES void flip(uint32_t* x, int64_t count, uint32_t mask) {
  for (int64_t i = 0; i < count; ++i) x[i] ^= mask;
}

void touch(void* data, int64_t bytes, bool floats) {
  if (floats) {
    scale(static_cast<float*>(data), bytes / 4, kOne);
  } else {
    flip(static_cast<uint32_t*>(data), bytes / 4, kNone);
  }
}

void touch_part(const Memory& memory, int64_t begin, int64_t end) {
  char* const data = static_cast<char*>(memory.data);
  if (memory.used == 0) return touch(data + begin, end - begin, memory.floats);
  for (int64_t at = begin; at < end; at += memory.stride) {
    touch(data + at, memory.used, memory.floats);
  }
}

}  // namespace

void touch_in_place(const Memory& memory, const Parallel& parallel) {
  // No thread gains on what one passes in microseconds.
  if (memory.bytes < 256 << 10) return touch_part(memory, 0, memory.bytes);
  const int64_t parts = thread_count(parallel);
  if (parts == 1) return touch_part(memory, 0, memory.bytes);
  const int64_t unit = std::max<int64_t>(memory.stride, 4096);
  const int64_t share = (memory.bytes / parts + unit - 1) / unit * unit;
  parallel_for(parallel, parts, [&](int64_t part) {
    touch_part(memory, std::min(memory.bytes, part * share),
               std::min(memory.bytes, (part + 1) * share));
  });
}

}  // namespace ropewalk::cli
