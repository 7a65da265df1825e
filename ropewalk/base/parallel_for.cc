#include "ropewalk/base/parallel_for.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include "ropewalk/base/thread_pool.h"

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

// OMP_NUM_THREADS, which may be a list for nested regions; what is no number above 0 says nothing.
int threads_of_environment(int otherwise) {
  constexpr int kMost = 1024;
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return otherwise;
  int threads = 0;
  std::from_chars(text, text + std::strlen(text), threads);
  return threads > 0 ? std::min(threads, kMost) : otherwise;
}

}  // namespace

int thread_count(const Parallel& parallel) {
  // Asked once: the system takes microseconds to answer. More threads than processors only wait for
  // each other.
  static const int most = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  static const int available = threads_of_environment(most);
  return std::clamp(parallel.threads > 0 ? parallel.threads : std::min(available, most), 1,
                    std::max(available, most));
}

void parallel_for(const Parallel& parallel, int64_t count,
                  const std::function<void(int64_t)>& task) {
  if (count <= 0) return;
  FirstError errors;
  const auto guarded = [&](int64_t i) { errors.run(i, task); };
  if (parallel.run) {
    parallel.run(count, guarded);
  } else {
    const auto threads = static_cast<int>(std::min<int64_t>(thread_count(parallel), count));
    run_on_pool(threads - 1, count, guarded);
  }
  errors.rethrow();
}

}  // namespace ropewalk
