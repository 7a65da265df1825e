#include "ropewalk/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include <pthread.h>
#include <signal.h>

#include "ropewalk/base/spare_processors.h"

namespace ropewalk {
namespace {

using Clock = std::chrono::steady_clock;

thread_local bool inside_a_task = false;

// A call that takes longer gains from helpers on a busy machine too: two threads get two shares.
constexpr auto kLong = std::chrono::milliseconds(100);

// Until then a processor may become free: often what ran there at the start took microseconds.
constexpr auto kAskAgain = std::chrono::milliseconds(4);

// One call. It lives on the caller's stack, which outlasts the helpers that are counted in
// `inside`.
struct Run {
  int64_t count = 0;
  const std::function<void(int64_t)>* task = nullptr;
  int wanted = 0;            // helpers that may still join; under the pool's mutex, as the next
  Run* following = nullptr;  // in the list of those that want helpers
  std::atomic<int64_t> next = 0;
  std::atomic<int> inside = 0;

  void work() {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) (*task)(i);
  }

  // The same for a while. Returns whether tasks may be left.
  bool work_until(Clock::time_point end) {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      (*task)(i);
      if (Clock::now() >= end) return true;
    }
    return false;
  }
};

// Whether it becomes true in the time that waking a sleeping thread takes. The processor is not
// given away meanwhile: another program may keep it for milliseconds.
template <typename Ready>
bool soon(const Ready& ready) {
  const auto end = Clock::now() + std::chrono::microseconds(20);
  do {
    if (ready()) return true;
  } while (Clock::now() < end);
  return false;
}

class Pool {
 public:
  void run(Run& run, int helpers) {
    // A helper without a processor of its own takes the caller's, or begins a task and is taken
    // off its processor in the middle of it.
    const auto end = Clock::now() + kLong;
    int spare = spare_for(helpers);
    while (spare < 1) {
      inside_a_task = true;
      const bool left = run.work_until(std::min(end, Clock::now() + kAskAgain));
      inside_a_task = false;
      if (!left) return;
      spare = Clock::now() < end ? spare_for(helpers) : helpers;
    }
    run_with(run, spare);
  }

 private:
  int spare_for(int helpers) const {
    return std::min(helpers, spare_processors_now(1 + awake_) - 1);
  }

  void run_with(Run& run, int helpers) {
    std::unique_lock lock(mutex_);
    grow(helpers);
    run.wanted = std::min(helpers, threads_);
    if (run.wanted > 0) {
      run.following = waiting_.load();
      waiting_ = &run;
    }
    const int wake = run.wanted;
    lock.unlock();
    for (int i = 0; i < wake; ++i) wake_.notify_one();
    inside_a_task = true;
    run.work();
    inside_a_task = false;
    lock.lock();
    remove(run);
    lock.unlock();
    const auto left = [&] { return run.inside == 0; };
    if (soon(left)) return;
    lock.lock();
    left_.wait(lock, left);
  }

  // Threads that the system does not give are done without. Signals are the program's own threads'.
  void grow(int helpers) {
    if (threads_ >= helpers) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (; threads_ < helpers; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void remove(const Run& run) {
    if (waiting_ == &run) {
      waiting_ = run.following;
      return;
    }
    for (Run* before = waiting_; before != nullptr; before = before->following) {
      if (before->following == &run) before->following = run.following;
    }
  }

  [[noreturn]] void serve() {
    inside_a_task = true;
    ++awake_;
    std::unique_lock lock(mutex_);
    for (;;) {
      if (waiting_ == nullptr) {
        lock.unlock();
        soon([&] { return waiting_ != nullptr; });
        lock.lock();
        --awake_;
        wake_.wait(lock, [&] { return waiting_ != nullptr; });
        ++awake_;
      }
      Run& run = *waiting_;
      ++run.inside;
      if (--run.wanted == 0) remove(run);
      lock.unlock();
      run.work();
      lock.lock();
      if (--run.inside == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, left_;
  std::atomic<Run*> waiting_ = nullptr;  // written under the mutex
  std::atomic<int> awake_ = 0;           // threads that are not waiting for work
  int threads_ = 0;
};

// Never destroyed: its threads may outlast every static object.
std::atomic<Pool*> the_pool = nullptr;

Pool& pool() {
  static const bool forgotten_by_children =
      pthread_atfork(nullptr, nullptr, [] { the_pool = nullptr; }) == 0;
  static_cast<void>(forgotten_by_children);
  Pool* current = the_pool;
  if (current != nullptr) return *current;
  auto made = std::make_unique<Pool>();
  if (the_pool.compare_exchange_strong(current, made.get())) current = made.release();
  return *current;
}

}  // namespace

void run_on_pool(int helpers, int64_t count, const std::function<void(int64_t)>& task) {
  Run run{.count = count, .task = &task};
  if (helpers < 1 || inside_a_task) return run.work();
  pool().run(run, helpers);
}

}  // namespace ropewalk
