#include "ropewalk/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#ifdef ROPEWALK_OPENMP
#include <omp.h>
#endif

namespace ropewalk {
namespace {

// Keeps the exception of the lowest task.
class FirstError {
 public:
  void run(int64_t i, const std::function<void(int64_t)>& task) {
    try {
      task(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_ || i < index_) {
        error_ = std::current_exception();
        index_ = i;
      }
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  int64_t index_ = 0;
};

}  // namespace

int thread_count(const Parallel& parallel) {
  // Asked once: the system takes microseconds to answer. More threads than processors only wait for
  // each other.
  static const int most = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#ifdef ROPEWALK_OPENMP
  const int available = omp_get_max_threads();
#else
  const int available = most;
#endif
  return std::clamp(parallel.threads > 0 ? parallel.threads : std::min(available, most), 1,
                    std::max(available, most));
}

void parallel_for(const Parallel& parallel, int64_t count,
                  const std::function<void(int64_t)>& task) {
  if (count <= 0) return;
  FirstError errors;
  const auto guarded = [&](int64_t i) { errors.run(i, task); };
  const int threads = static_cast<int>(std::min<int64_t>(thread_count(parallel), count));
  if (parallel.run) {
    parallel.run(count, guarded);
  } else if (threads == 1) {
    for (int64_t i = 0; i < count; ++i) guarded(i);
  } else {
#ifdef ROPEWALK_OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t i = 0; i < count; ++i) guarded(i);
#else
    std::atomic<int64_t> next{0};
    const auto work = [&] {
      for (int64_t i; (i = next.fetch_add(1)) < count;) guarded(i);
    };
    std::vector<std::jthread> pool;
    for (int t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
    pool.clear();  // joins
#endif
  }
  errors.rethrow();
}

}  // namespace ropewalk
