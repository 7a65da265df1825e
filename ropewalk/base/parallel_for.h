#pragma once

#include <cstdint>
#include <functional>

namespace ropewalk {

// How a call may use the machine. The default runs on all processors.
struct Parallel {
  // Largest number of threads; 0: OMP_NUM_THREADS, or one a processor. 1: the calling thread alone.
  // Fewer run while other programs keep processors busy, unless a call lasts 100 ms.
  int threads = 0;
  // A caller's own pool: must call task(i) once for each i in [0, count), in any order, and return
  // when all are done. Empty: threads of ropewalk, which are kept (base/thread_pool.h).
  std::function<void(int64_t count, const std::function<void(int64_t)>& task)> run;
};

// Runs task(0) .. task(count - 1). A task that throws does not stop the others; the exception of
// the lowest index is thrown again in the calling thread. Results never depend on the thread count.
void parallel_for(const Parallel& parallel, int64_t count,
                  const std::function<void(int64_t)>& task);

// Number of threads that parallel_for would use for many tasks.
int thread_count(const Parallel& parallel);

}  // namespace ropewalk
