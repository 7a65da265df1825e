#include "cli/long_task.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

namespace ropewalk::cli {
namespace {

volatile sig_atomic_t signal_that_came = 0;

extern "C" void keep_signal(int number) { signal_that_came = number; }

struct Stopped {};

// Signals are kept while it lives; those that were ignored stay so.
class KeptSignals {
 public:
  KeptSignals() {
    signal_that_came = 0;
    struct sigaction kept {};
    kept.sa_handler = keep_signal;
    sigemptyset(&kept.sa_mask);
    for (size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &kept, nullptr);
    }
  }
  ~KeptSignals() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

}  // namespace

void run_long_task(
    const std::string& what,
    const std::function<void(const std::function<void(uint64_t done, uint64_t total)>&)>& task) {
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  try {
    const KeptSignals kept;
    uint64_t shown = UINT64_MAX;
    task([&](uint64_t done, uint64_t total) {
      if (signal_that_came != 0) throw Stopped{};
      const uint64_t percent = total == 0 ? 100 : done / std::max<uint64_t>(total / 100, 1);
      if (!terminal || percent == shown) return;
      shown = percent;
      fmt::print(stderr, "\r\033[K{}: {} of {} MB", what, done >> 20, total >> 20);
    });
  } catch (const Stopped&) {
    if (terminal) fmt::print(stderr, "\r\033[K");
    raise(signal_that_came);
    throw;
  } catch (...) {
    if (terminal) fmt::print(stderr, "\r\033[K");
    throw;
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
}

}  // namespace ropewalk::cli
