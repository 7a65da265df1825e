#include "ropewalk/base/spare_processors.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>

#include <fcntl.h>
#include <unistd.h>

namespace ropewalk {
namespace {

// 0 where the system does not tell.
int ask() {
  const int file = ::open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t size = ::read(file, text, sizeof(text));
  ::close(file);
  if (size <= 0) return 0;
  return running_threads({text, static_cast<size_t>(size)}).value_or(0);
}

int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

std::optional<int> running_threads(std::string_view loadavg) {
  for (int field = 0; field < 3; ++field) {
    const size_t space = loadavg.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    loadavg.remove_prefix(space + 1);
  }
  int running = 0;
  const auto [end, error] =
      std::from_chars(loadavg.data(), loadavg.data() + loadavg.size(), running);
  const bool whole = error == std::errc() && end != loadavg.data() + loadavg.size() && *end == '/';
  if (!whole || running < 0) return std::nullopt;
  return running;
}

int spare_processors(int processors, int running) { return std::max(0, processors - running); }

int spare_processors_now(int own) {
  constexpr int64_t kEvery = 2'000'000;  // nanoseconds
  static const auto processors = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  static std::atomic<int64_t> asked_at = 0;
  static std::atomic<int> others = 0;
  int64_t before = asked_at.load(std::memory_order_relaxed);
  const int64_t time = now();
  if (time - before >= kEvery && asked_at.compare_exchange_strong(before, time)) {
    others = std::max(0, ask() - own);
  }
  return spare_processors(processors, others);
}

}  // namespace ropewalk
