#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "ropewalk/parallel/mpi_ranks.h"

namespace ropewalk {

// What a message is for.
enum MpiTag { kKeys = 1, kGathered, kSize, kAnswer, kSign };

// One message, maybe of several pieces, that this rank waits for.
struct MpiPending {
  int peer = 0, tag = 0;
  bool receives = false;
  std::vector<MPI_Request> requests;
};

// Messages between this process and others, and the signs of life.
struct MpiRanks::Impl {
  using Clock = std::chrono::steady_clock;

  MpiOptions options;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, ranks = 1, local_ranks = 1;
  bool threads = false;  // another than the main one may call MPI
  bool ended = false;
  Clock::time_point signed_at = Clock::now();
  std::vector<Clock::time_point> seen_at;  // [ranks]: the last sign of life
  std::vector<MpiPending> ring;
  int64_t sent = 0;
  double waited = 0;

  // Throws io with what MPI says of the result.
  void check(int result, const char* call) const;
  MpiPending begin_send(std::span<const std::byte> bytes, int peer, int tag);
  MpiPending begin_receive(std::span<std::byte> bytes, int peer, int tag);
  void give_signs();
  void take_signs();
  bool done(std::vector<MpiPending>& pending);
  void wait(std::vector<MpiPending> pending);
  [[noreturn]] void give_up(const MpiPending& pending, double silent) const;

  void send(std::span<const std::byte> bytes, int peer, int tag) {
    wait({begin_send(bytes, peer, tag)});
  }
  void receive(std::span<std::byte> bytes, int peer, int tag) {
    wait({begin_receive(bytes, peer, tag)});
  }
  void send_text(const std::string& text, int peer, int tag);
  std::string receive_text(int peer, int tag);
};

}  // namespace ropewalk
