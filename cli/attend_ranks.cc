#include "cli/attend_ranks.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "ropewalk/formats/npy.h"
#ifdef ROPEWALK_MPI
#include "ropewalk/parallel/mpi_ranks.h"
#endif

namespace ropewalk::cli {
namespace {

// What a rank says of its part.
struct RankFigures {
  double seconds = 0, waited = 0, processor = 0;
  int64_t sent = 0;
};

nlohmann::ordered_json figures_json(const AttendShare& share,
                                    const std::vector<RankFigures>& of_ranks) {
  const RingPlan plan = make_ring_plan(share.sequences(), share.options());
  double seconds = 0;
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const RankFigures& one = of_ranks[rank];
    int64_t pairs = 0;
    for (int64_t block = 0; block < plan.ranks; ++block) {
      pairs += plan.pairs_of(static_cast<int64_t>(rank), block);
    }
    seconds = std::max(seconds, one.seconds);
    ranks.push_back({{"rank", rank},
                     {"pairs", pairs},
                     {"sent_bytes", one.sent},
                     {"seconds", one.seconds},
                     {"waited_seconds", one.waited},
                     {"processor_seconds", one.processor}});
  }
  return {{"ranks", of_ranks.size()},
          {"order", share.sequences().order == ShardOrder::zigzag ? "zigzag" : "contiguous"},
          {"seconds", seconds},
          {"of_ranks", ranks}};
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The rank's part, with the time that it took on the clock and of processors.
Tensor timed_attend(const AttendShare& share, const RingExchange& exchange, int threads,
                    RankFigures& figures) {
  const auto begin = std::chrono::steady_clock::now();
  const double before = processor_seconds();
  Tensor out = share.attend(exchange, threads);
  figures.processor = processor_seconds() - before;
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

int attend_alone(const RankRun& run, const Layer& layer) {
  const AttendShare share(layer, run.arrays, run.how, 0, 1);
  Tensor whole = share.whole();
  RankFigures figures;
  const Tensor out = timed_attend(share, {}, 0, figures);
  share.place(query_shard(share.sequences(), 0), out.bytes, whole);
  write_npy(run.output, std::as_const(whole).view(), run.overwrite);
  if (run.how.json) print_json(figures_json(share, {figures}));
  return 0;
}

#ifdef ROPEWALK_MPI

// Processors of this rank, where several share a machine: what the launcher binds it to, and no
// more than its part.
int threads_of(int64_t local_ranks) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return 0;
  cpu_set_t bound;
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  const int usable = sched_getaffinity(0, sizeof(bound), &bound) == 0 ? CPU_COUNT(&bound) : all;
  return std::max(1, std::min(usable, all / static_cast<int>(local_ranks)));
}

MpiOptions mpi_options(const RankRun& run) {
  MpiOptions options;
  if (!run.how.deadline.empty()) {
    options.deadline_in_seconds = parse_number(run.how.deadline, "--deadline");
    if (!(options.deadline_in_seconds > 0 && options.deadline_in_seconds < 1e7)) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--deadline: expected seconds above 0 and below 1e7, found {}",
                              escaped(run.how.deadline)));
    }
  }
  if (!run.how.largest_message.empty()) {
    options.largest_message = parse_integer(run.how.largest_message, "--largest-message");
  }
  return options;
}

// Rank 0 puts the parts together and writes last: nobody waits for it then.
void collect_and_write(const RankRun& run, const AttendShare& share, const Tensor& out,
                       const RankFigures& own, MpiRanks& ranks) {
  Tensor whole;
  if (ranks.rank() == 0) whole = share.whole();
  ranks.collect(out.bytes, [&](int64_t rank, std::span<const std::byte> bytes) {
    share.place(query_shard(share.sequences(), rank), bytes, whole);
  });
  std::vector<RankFigures> all;
  ranks.collect(std::as_bytes(std::span(&own, 1)), [&](int64_t, std::span<const std::byte> bytes) {
    std::memcpy(&all.emplace_back(), bytes.data(), std::min(bytes.size(), sizeof(RankFigures)));
  });
  if (ranks.rank() != 0) return;
  write_npy(run.output, std::as_const(whole).view(), run.overwrite);
  if (run.how.json) print_json(figures_json(share, all));
}

void attend_agreed(const RankRun& run, const AttendShare& share, MpiRanks& ranks) {
  RankFigures own;
  const double before = ranks.waited_in_seconds();
  const Tensor out = timed_attend(share, ranks.exchange(), threads_of(ranks.local_ranks()), own);
  own.waited = ranks.waited_in_seconds() - before;
  own.sent = ranks.sent_bytes();
  collect_and_write(run, share, out, own, ranks);
}

std::string of_rank(const MpiRanks& ranks, int64_t rank, const std::string& what) {
  if (what.starts_with("rank ")) return what;
  return fmt::format("rank {} of {}: {}", rank, ranks.ranks(), what);
}

// MPI waits without end for a rank that did not start: this process does not.
class StartWatch {
 public:
  explicit StartWatch(double seconds) {
    thread_ = std::thread([this, seconds] {
      std::unique_lock lock(mutex_);
      const std::chrono::duration<double> most(seconds);
      if (started_.wait_for(lock, most, [this] { return done_; })) return;
      fmt::print(stderr,
                 "ropewalk: error: expected all {} ranks to start, found one missing after {} s\n",
                 launched_ranks(), seconds);
      std::fflush(stderr);
      std::_Exit(kIo);
    });
  }
  ~StartWatch() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    started_.notify_all();
    thread_.join();
  }
  StartWatch(StartWatch&&) = delete;
  StartWatch& operator=(StartWatch&&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable started_;
  bool done_ = false;
  std::thread thread_;
};

void say(const std::string& fault) {
  fmt::print(stderr, "ropewalk: error: {}\n", fault);
  std::fflush(stderr);
}

// Past the point where a rank alone can end: a fault of one ends all, with its word.
void or_end_all(MpiRanks& ranks, const std::function<void()>& work) {
  const auto end = [&](const std::string& what, int code) {
    say(of_rank(ranks, ranks.rank(), what));
    ranks.end_all(code);
  };
  try {
    work();
  } catch (const Error& error) {
    end(error.what(), exit_code(error.code()));
  } catch (const std::bad_alloc&) {
    end("out of memory", kLimit);
  } catch (const std::exception& error) {
    end(escaped(error.what(), 400), kInternal);
  }
}

int attend_with_mpi(const RankRun& run, const std::function<Layer(bool first)>& layer) {
  const MpiOptions options = mpi_options(run);
  std::optional<StartWatch> watch(std::in_place, options.deadline_in_seconds);
  MpiRanks ranks(options);
  watch.reset();
  std::optional<AttendShare> share;
  std::optional<RankFault> fault;
  or_end_all(ranks, [&] {
    RankReport report;
    try {
      share.emplace(layer(ranks.rank() == 0), run.arrays, run.how, ranks.rank(), ranks.ranks());
      report.facts = share->facts();
    } catch (const Error& error) {
      report.fault = error;
    }
    fault = ranks.agree(report);
  });
  if (!fault) {
    or_end_all(ranks, [&] { attend_agreed(run, *share, ranks); });
    return 0;
  }
  // All ranks know; the one that it is about says so, before the first of them is gone: mpirun then
  // ends the others.
  if (fault->rank == ranks.rank()) say(of_rank(ranks, fault->rank, fault->error.what()));
  return exit_code(fault->error.code());
}

#endif

}  // namespace

int attend_in_ranks(const RankRun& run, const std::function<Layer(bool first)>& layer) {
  const int64_t launched = launched_ranks();
  if (launched == 1) return attend_alone(run, layer(true));
#ifdef ROPEWALK_MPI
  return attend_with_mpi(run, layer);
#else
  throw Error(ErrorCode::unsupported,
              fmt::format("this ropewalk was built without MPI: expected one process, found {} of "
                          "mpirun (docs/scale.md)",
                          launched));
#endif
}

}  // namespace ropewalk::cli
