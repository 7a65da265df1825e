#include "ropewalk/parallel/mpi_ranks.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/parallel/mpi_messages.h"

namespace ropewalk {

MpiRanks::MpiRanks(const MpiOptions& options) : impl_(std::make_unique<Impl>()) {
  if (!(options.deadline_in_seconds > 0) || options.largest_message < 1 ||
      options.largest_message > INT32_MAX) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("MPI: expected a deadline above 0 s and messages of 1 to 2^31 - 1 "
                            "bytes, found {} s and {} bytes",
                            options.deadline_in_seconds, options.largest_message));
  }
  impl_->options = options;
  int provided = MPI_THREAD_SINGLE;
  impl_->check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided),
               "MPI_Init_thread");
  impl_->threads = provided >= MPI_THREAD_SERIALIZED;
  impl_->check(MPI_Comm_dup(MPI_COMM_WORLD, &impl_->comm), "MPI_Comm_dup");
  impl_->check(MPI_Comm_set_errhandler(impl_->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  impl_->check(MPI_Comm_rank(impl_->comm, &impl_->rank), "MPI_Comm_rank");
  impl_->check(MPI_Comm_size(impl_->comm, &impl_->ranks), "MPI_Comm_size");
  MPI_Comm local = MPI_COMM_NULL;
  impl_->check(MPI_Comm_split_type(impl_->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local),
               "MPI_Comm_split_type");
  impl_->check(MPI_Comm_size(local, &impl_->local_ranks), "MPI_Comm_size");
  impl_->check(MPI_Comm_free(&local), "MPI_Comm_free");
  impl_->seen_at.assign(static_cast<size_t>(impl_->ranks), Impl::Clock::now());
}

MpiRanks::~MpiRanks() {
  if (impl_->ended) return;
  try {
    impl_->take_signs();
  } catch (const Error&) {
    // The ranks part all the same.
  }
  MPI_Finalize();
}

int64_t MpiRanks::rank() const { return impl_->rank; }
int64_t MpiRanks::ranks() const { return impl_->ranks; }
int64_t MpiRanks::local_ranks() const { return impl_->local_ranks; }
int64_t MpiRanks::sent_bytes() const { return impl_->sent; }
double MpiRanks::waited_in_seconds() const { return impl_->waited; }

std::optional<RankFault> MpiRanks::agree(const RankReport& report) {
  const std::string own = to_text(report);
  std::vector<RankReport> reports;
  collect(std::as_bytes(std::span(own)), [&](int64_t, std::span<const std::byte> bytes) {
    reports.push_back(
        report_from_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  });
  if (impl_->rank != 0) {
    const std::string rank = impl_->receive_text(0, kAnswer);
    const RankReport answer = report_from_text(impl_->receive_text(0, kAnswer));
    if (!answer.fault) return std::nullopt;
    return RankFault{std::atoll(rank.c_str()), *answer.fault};
  }
  const std::optional<RankFault> fault = first_fault(reports);
  for (int peer = 1; peer < impl_->ranks; ++peer) {
    impl_->send_text(std::to_string(fault ? fault->rank : -1), peer, kAnswer);
    impl_->send_text(fault ? to_text({.fault = fault->error}) : "", peer, kAnswer);
  }
  return fault;
}

void MpiRanks::collect(std::span<const std::byte> bytes, const Take& take) {
  const uint64_t size = bytes.size();
  if (impl_->rank != 0) {
    impl_->send(std::as_bytes(std::span(&size, 1)), 0, kSize);
    return impl_->send(bytes, 0, kGathered);
  }
  take(0, bytes);
  for (int peer = 1; peer < impl_->ranks; ++peer) {
    uint64_t coming = 0;
    impl_->receive(std::as_writable_bytes(std::span(&coming, 1)), peer, kSize);
    std::vector<std::byte> part(coming);
    impl_->receive(part, peer, kGathered);
    take(peer, part);
  }
}

RingExchange MpiRanks::exchange() {
  Impl* const impl = impl_.get();
  RingExchange exchange{.rank = impl->rank};
  exchange.begin = [impl](std::span<const std::byte> send, std::span<std::byte> receive) {
    const int next = (impl->rank + 1) % impl->ranks,
              last = (impl->rank + impl->ranks - 1) % impl->ranks;
    impl->ring.clear();
    impl->ring.push_back(impl->begin_receive(receive, last, kKeys));
    impl->ring.push_back(impl->begin_send(send, next, kKeys));
    impl->sent += std::ssize(send);
  };
  if (impl->threads) {
    exchange.poke = [impl] {
      impl->done(impl->ring);
      impl->give_signs();
      impl->take_signs();
    };
  }
  exchange.finish = [impl] {
    impl->wait(std::move(impl->ring));
    impl->ring.clear();
  };
  return exchange;
}

void MpiRanks::end_all(int exit_code) {
  impl_->ended = true;
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace ropewalk
