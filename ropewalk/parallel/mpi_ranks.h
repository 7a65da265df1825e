#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ropewalk/parallel/rank_agreement.h"
#include "ropewalk/parallel/ring_attention.h"

namespace ropewalk {

struct MpiOptions {
  // How long a rank waits without a sign of life of the one that it waits for. A rank gives such
  // signs while it computes and while it waits, not while it reads files.
  double deadline_in_seconds = 120;
  // Messages above it are cut: MPI counts bytes in 32 bits.
  int64_t largest_message = int64_t{1} << 30;
};

// The ranks that mpirun started; this process is one of them. Of the library ropewalk::mpi, which
// is built where MPI is there (ROPEWALK_MPI). One object a process, from begin to end; calls come
// from one thread at a time. Each throws io naming the rank that gave no sign of life within the
// deadline, "rank 2 of 4: expected a message of rank 1 (keys), found no sign of life for 120 s", or
// what MPI reports; then the ranks can only be ended.
class MpiRanks {
 public:
  explicit MpiRanks(const MpiOptions& options = {});
  // Waits for all ranks to come here, but after end_all.
  ~MpiRanks();
  MpiRanks(MpiRanks&&) = delete;
  MpiRanks& operator=(MpiRanks&&) = delete;

  int64_t rank() const;
  int64_t ranks() const;
  int64_t local_ranks() const;  // those on this machine

  // What all ranks have to say, judged by rank 0; every rank gets the same answer.
  std::optional<RankFault> agree(const RankReport& report);

  // Rank 0 takes what each rank gives, itself first, then in order.
  using Take = std::function<void(int64_t rank, std::span<const std::byte> bytes)>;
  void collect(std::span<const std::byte> bytes, const Take& take);

  // For ring_attend: non-blocking messages, which get on while the rank computes.
  RingExchange exchange();

  // Ends every rank; the exit code of mpirun is `exit_code`.
  [[noreturn]] void end_all(int exit_code);

  // So far: bytes of keys and values that this rank sent, and how long it waited for others.
  int64_t sent_bytes() const;
  double waited_in_seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ropewalk
