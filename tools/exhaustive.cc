// Compares every cos and sin of the positions below 2^18, for a head of 128 channels and four bases
// in use, with the same numbers in __float128: 134,217,728 entries. Fails if one is not the exact
// value correctly rounded to float32.
//
// The reference: a position of 18 bits times a frequency of 24 is exact in __float128, and
// libquadmath reduces it by pi of enough digits, so sincosq is right to a few units in 2^-113.
// Rounding it to float is then right too, unless the value lies that close to a tie: such an entry
// would be counted as undecided, and none ever was.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <quadmath.h>
#include <unistd.h>

#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/spectrum/spectrum.h"

namespace {

constexpr int64_t kPositions = int64_t{1} << 18;
constexpr int64_t kPairs = 64;
constexpr std::array<double, 4> kBases = {1e4, 5e5, 1e6, 1e7};
constexpr int64_t kRows = 256;  // of one piece of work

struct Tally {
  int64_t entries = 0, misrounded = 0, undecided = 0;
  double worst_in_ulp = 0;

  void add(const Tally& other) {
    entries += other.entries;
    misrounded += other.misrounded;
    undecided += other.undecided;
    worst_in_ulp = std::max(worst_in_ulp, other.worst_in_ulp);
  }
};

// The distance from one float to the next where `value` lies; never that of a subnormal here.
double ulp_of(float value) { return std::ldexp(1.0, std::ilogb(value) - 23); }

void compare(float found, __float128 exact, Tally& tally) {
  ++tally.entries;
  const auto expected = static_cast<float>(exact);
  // Bits, so that a negative zero is not taken for zero.
  if (std::bit_cast<uint32_t>(found) != std::bit_cast<uint32_t>(expected)) ++tally.misrounded;
  if (exact == 0) return;
  const double ulp = ulp_of(expected);
  const __float128 error = fabsq(exact - found) / ulp;
  tally.worst_in_ulp = std::max(tally.worst_in_ulp, static_cast<double>(error));
  // 0.5 is a tie; the reference is known to far better than 2^-80 of a float's ulp.
  if (fabsq(fabsq(exact - expected) / ulp - 0.5) < 0x1p-80) ++tally.undecided;
}

Tally check_rows(const ropewalk::Spectrum& spectrum, int64_t first) {
  Tally tally;
  std::vector<float> cos(kRows * kPairs), sin(kRows * kPairs);
  ropewalk::cos_sin_rows(ropewalk::row_source(spectrum, 1, false), first, kRows, kPairs, cos.data(),
                         sin.data());
  for (int64_t i = 0; i < kRows * kPairs; ++i) {
    const auto position = static_cast<__float128>(first + i / kPairs);
    __float128 exact_sin, exact_cos;
    sincosq(position * spectrum.inv_freq[i % kPairs], &exact_sin, &exact_cos);
    compare(cos[i], exact_cos, tally);
    compare(sin[i], exact_sin, tally);
  }
  return tally;
}

void show_progress(double done) {
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r%3.0f%%", 100 * done);
}

Tally check_base(double base, int64_t bases_done) {
  constexpr int64_t kHeadDim = 2 * kPairs;
  const ropewalk::Spectrum spectrum = ropewalk::make_spectrum(
      {.rope_theta = base, .rotary_dim = kHeadDim, .layout = {kHeadDim, {{0, kHeadDim}}}});
  Tally total;
  std::mutex mutex;
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (int64_t first; (first = next.fetch_add(kRows)) < kPositions;) {
      const Tally tally = check_rows(spectrum, first);
      const std::lock_guard lock(mutex);
      total.add(tally);
      const double share = static_cast<double>(first) / static_cast<double>(kPositions);
      show_progress((static_cast<double>(bases_done) + share) / kBases.size());
    }
  };
  std::vector<std::jthread> threads(std::max(1u, std::thread::hardware_concurrency()));
  for (std::jthread& thread : threads) thread = std::jthread(work);
  threads.clear();
  return total;
}

void print(const char* what, const Tally& tally) {
  std::printf("%-16s %11" PRId64 " entries, %" PRId64 " misrounded, %" PRId64
              " undecided, worst error %.9f ULP\n",
              what, tally.entries, tally.misrounded, tally.undecided, tally.worst_in_ulp);
  std::fflush(stdout);
}

}  // namespace

int main() {
  const auto start = std::chrono::steady_clock::now();
  Tally total;
  for (size_t i = 0; i < kBases.size(); ++i) {
    const Tally tally = check_base(kBases[i], static_cast<int64_t>(i));
    if (isatty(STDERR_FILENO)) std::fputs("\r", stderr);
    char what[32];
    std::snprintf(what, sizeof(what), "base %.0f", kBases[i]);
    print(what, tally);
    total.add(tally);
  }
  print("all", total);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%.0f seconds on %u threads\n", seconds.count(), std::thread::hardware_concurrency());
  return total.misrounded == 0 && total.undecided == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
