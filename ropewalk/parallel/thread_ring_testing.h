#pragma once

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ropewalk/parallel/ring_attention.h"

namespace ropewalk::testing {

// Ranks as threads of one process: a message is a copy in a mailbox.
class ThreadRing {
 public:
  explicit ThreadRing(int64_t ranks) : ranks_(ranks) {}

  // Calls body(exchange) as each rank; what the first of them throws is thrown again.
  void run(const std::function<void(const RingExchange&)>& body) {
    std::vector<std::exception_ptr> faults(static_cast<size_t>(ranks_));
    std::vector<std::thread> threads;
    for (int64_t rank = 0; rank < ranks_; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          body(exchange_of(rank));
        } catch (...) {
          faults[static_cast<size_t>(rank)] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& fault : faults) {
      if (fault) std::rethrow_exception(fault);
    }
  }

  int64_t sent_bytes(int64_t rank) const { return sent_.at(rank); }

 private:
  RingExchange exchange_of(int64_t rank) {
    {
      const std::lock_guard lock(mutex_);
      sent_[rank] = 0;
    }
    auto wanted = std::make_shared<std::span<std::byte>>();
    return {
        .rank = rank,
        .begin =
            [this, rank, wanted](std::span<const std::byte> send, std::span<std::byte> receive) {
              const std::lock_guard lock(mutex_);
              if (!send.empty()) {
                boxes_[(rank + 1) % ranks_].emplace_back(send.begin(), send.end());
                sent_[rank] += std::ssize(send);
              }
              *wanted = receive;
              arrived_.notify_all();
            },
        .poke = [] {},
        .finish =
            [this, rank, wanted] {
              if (wanted->empty()) return;
              std::unique_lock lock(mutex_);
              auto& box = boxes_[rank];
              arrived_.wait(lock, [&] { return !box.empty(); });
              if (box.front().size() != wanted->size()) std::abort();
              std::memcpy(wanted->data(), box.front().data(), wanted->size());
              box.erase(box.begin());
            }};
  }

  int64_t ranks_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<int64_t, std::vector<std::vector<std::byte>>> boxes_;
  std::map<int64_t, int64_t> sent_;
};

}  // namespace ropewalk::testing
