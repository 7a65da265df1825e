// Compares every cos and sin of the positions below 2^18, for a head of 128 channels and four bases
// in use, with the same numbers in __float128: 134,217,728 entries. Fails if one is not the exact
// value correctly rounded to float32, or its bf16 and f16 not that value rounded to them.
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

#include "ropewalk/base/half.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/table.h"

namespace {

constexpr int64_t kPositions = int64_t{1} << 18;
constexpr int64_t kPairs = 64;
constexpr std::array<double, 4> kBases = {1e4, 5e5, 1e6, 1e7};
constexpr int64_t kRows = 256;  // of one piece of work

struct Tally {
  int64_t entries = 0, misrounded = 0, undecided = 0;
  int64_t halves_misrounded = 0;  // of bf16 and f16
  int64_t wrong_twice[2] = {};    // bf16, f16: what rounding the float32 again would get wrong
  double worst_in_ulp = 0;

  void add(const Tally& other) {
    entries += other.entries;
    misrounded += other.misrounded;
    undecided += other.undecided;
    halves_misrounded += other.halves_misrounded;
    for (int i = 0; i < 2; ++i) wrong_twice[i] += other.wrong_twice[i];
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

// Rounded to a type of so many digits, ties to even.
double in_digits(__float128 exact, int digits, int least_exponent) {
  if (exact == 0) return 0;
  const int last = std::max(ilogbq(exact), least_exponent) - digits + 1;
  return static_cast<double>(scalbnq(rintq(scalbnq(exact, -last)), last));
}

void compare_halves(uint16_t bf16, uint16_t f16, float found, __float128 exact, Tally& tally) {
  const double want[] = {in_digits(exact, 8, -126), in_digits(exact, 11, -14)};
  tally.halves_misrounded += ropewalk::float_from_bf16(bf16) != want[0];
  tally.halves_misrounded += ropewalk::float_from_f16(f16) != want[1];
  tally.wrong_twice[0] += ropewalk::float_from_bf16(ropewalk::bf16_from_float(found)) != want[0];
  tally.wrong_twice[1] += ropewalk::float_from_f16(ropewalk::f16_from_float(found)) != want[1];
}

Tally check_rows(const ropewalk::Spectrum& spectrum, int64_t first) {
  Tally tally;
  std::vector<float> cos(kRows * kPairs), sin(kRows * kPairs);
  const ropewalk::RowSource source = ropewalk::row_source(spectrum, 1, false);
  ropewalk::cos_sin_rows(source, first, kRows, kPairs, cos.data(), sin.data());
  using ropewalk::DType;
  const ropewalk::HalfCosSinTable bf16 =
      ropewalk::make_half_table(spectrum, DType::bf16, first, kRows, {.threads = 1});
  const ropewalk::HalfCosSinTable f16 =
      ropewalk::make_half_table(spectrum, DType::f16, first, kRows, {.threads = 1});
  for (int64_t i = 0; i < kRows * kPairs; ++i) {
    const auto position = static_cast<__float128>(first + i / kPairs);
    __float128 exact_sin, exact_cos;
    sincosq(position * spectrum.inv_freq[i % kPairs], &exact_sin, &exact_cos);
    compare(cos[i], exact_cos, tally);
    compare(sin[i], exact_sin, tally);
    const auto at = static_cast<size_t>(i);
    compare_halves(bf16.cos[at], f16.cos[at], cos[at], exact_cos, tally);
    compare_halves(bf16.sin[at], f16.sin[at], sin[at], exact_sin, tally);
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
  std::printf("%-16s bf16 and f16: %" PRId64 " misrounded; float32 rounded again: bf16 %" PRId64
              ", f16 %" PRId64 "\n",
              "", tally.halves_misrounded, tally.wrong_twice[0], tally.wrong_twice[1]);
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
  const bool right = total.misrounded == 0 && total.halves_misrounded == 0 && total.undecided == 0;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
