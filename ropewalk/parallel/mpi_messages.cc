#include "ropewalk/parallel/mpi_messages.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

using Clock = std::chrono::steady_clock;

const char* word(int tag) {
  switch (tag) {
    case kKeys:
      return "keys";
    case kGathered:
    case kSize:
      return "its part";
    default:
      return "the answer";
  }
}

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

}  // namespace

void MpiRanks::Impl::check(int result, const char* call) const {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw Error(ErrorCode::io, fmt::format("rank {} of {}: {}: {}", rank, ranks, call, text));
}

MpiPending MpiRanks::Impl::begin_send(std::span<const std::byte> bytes, int peer, int tag) {
  MpiPending pending{peer, tag, false, {}};
  const auto most = static_cast<size_t>(options.largest_message);
  for (size_t at = 0; at < bytes.size(); at += most) {
    const auto count = static_cast<int>(std::min(most, bytes.size() - at));
    pending.requests.emplace_back();
    check(MPI_Isend(bytes.data() + at, count, MPI_BYTE, peer, tag, comm, &pending.requests.back()),
          "MPI_Isend");
  }
  return pending;
}

MpiPending MpiRanks::Impl::begin_receive(std::span<std::byte> bytes, int peer, int tag) {
  MpiPending pending{peer, tag, true, {}};
  const auto most = static_cast<size_t>(options.largest_message);
  for (size_t at = 0; at < bytes.size(); at += most) {
    const auto count = static_cast<int>(std::min(most, bytes.size() - at));
    pending.requests.emplace_back();
    check(MPI_Irecv(bytes.data() + at, count, MPI_BYTE, peer, tag, comm, &pending.requests.back()),
          "MPI_Irecv");
  }
  return pending;
}

// Rank 0 is waited for by all, and waits for each; the others by and for their neighbours.
void MpiRanks::Impl::give_signs() {
  if (ranks == 1 || seconds_since(signed_at) < std::min(1.0, options.deadline_in_seconds / 8)) {
    return;
  }
  signed_at = Clock::now();
  for (int peer = 0; peer < ranks; ++peer) {
    const int apart = (peer - rank + ranks) % ranks;
    if (apart == 0 || (rank != 0 && peer != 0 && apart != 1 && apart != ranks - 1)) continue;
    MPI_Request request;
    check(MPI_Isend(nullptr, 0, MPI_BYTE, peer, kSign, comm, &request), "MPI_Isend");
    // Nobody waits for a sign to be gone.
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker)
    check(MPI_Request_free(&request), "MPI_Request_free");
  }
}

void MpiRanks::Impl::take_signs() {
  for (;;) {
    int there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, kSign, comm, &there, &status), "MPI_Iprobe");
    if (there == 0) return;
    check(MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, kSign, comm, MPI_STATUS_IGNORE),
          "MPI_Recv");
    seen_at[static_cast<size_t>(status.MPI_SOURCE)] = Clock::now();
  }
}

bool MpiRanks::Impl::done(std::vector<MpiPending>& pending) {
  bool all = true;
  for (MpiPending& message : pending) {
    if (message.requests.empty()) continue;
    int finished = 0;
    check(MPI_Testall(static_cast<int>(message.requests.size()), message.requests.data(), &finished,
                      MPI_STATUSES_IGNORE),
          "MPI_Testall");
    if (finished != 0) {
      message.requests.clear();
      seen_at[static_cast<size_t>(message.peer)] = Clock::now();
    } else {
      all = false;
    }
  }
  return all;
}

void MpiRanks::Impl::give_up(const MpiPending& pending, double silent) const {
  throw Error(ErrorCode::io,
              fmt::format("rank {} of {}: expected rank {} to {} {}, found no sign of life of it "
                          "for {:.3g} s",
                          rank, ranks, pending.peer, pending.receives ? "send" : "take",
                          word(pending.tag), silent));
}

void MpiRanks::Impl::wait(std::vector<MpiPending> pending) {
  const auto begun = Clock::now();
  for (int64_t turn = 0; !done(pending); ++turn) {
    give_signs();
    take_signs();
    for (const MpiPending& message : pending) {
      if (message.requests.empty()) continue;
      const auto since = std::max(begun, seen_at[static_cast<size_t>(message.peer)]);
      const double silent = seconds_since(since);
      if (silent > options.deadline_in_seconds) give_up(message, silent);
    }
    // Others may need this processor to get on.
    if (turn < 100) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  waited += seconds_since(begun);
}

void MpiRanks::Impl::send_text(const std::string& text, int peer, int tag) {
  const uint64_t size = text.size();
  send(std::as_bytes(std::span(&size, 1)), peer, kSize);
  send(std::as_bytes(std::span(text)), peer, tag);
}

std::string MpiRanks::Impl::receive_text(int peer, int tag) {
  uint64_t size = 0;
  receive(std::as_writable_bytes(std::span(&size, 1)), peer, kSize);
  std::string text(size, '\0');
  receive(std::as_writable_bytes(std::span(text)), peer, tag);
  return text;
}

}  // namespace ropewalk
