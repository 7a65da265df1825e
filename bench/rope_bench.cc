// How fast rotation and tables are, beside the least that touching the same memory costs: each
// iteration times the work and then an in-place scale of the same bytes, so both see the same
// machine. vs_scale is the ratio of their times: 1 is the speed of memory. One thread.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "ropewalk/kernels/rope/rope.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/kernels/targets.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

constexpr int64_t kHeadDim = 128, kQueryHeads = 32, kKeyHeads = 8;  // LLaMA 3 8B

// Volatile, or the scale would be found to do nothing. (DoNotOptimize of Google Benchmark 1.7
// leaves another number in a float.)
const volatile float kOne = 1;

// The compiler makes one body per instruction set, chosen when the program starts, as in kernels.
__attribute__((target_clones("avx512f", "avx2", "default"))) void scale_in_place(float* x,
                                                                                 int64_t count,
                                                                                 float factor) {
  for (int64_t i = 0; i < count; ++i) x[i] *= factor;
}

template <typename Work>
double seconds_of(int64_t repeats, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < repeats; ++i) work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(repeats);
}

// Times `work`, which writes `bytes` bytes, beside `scale`, which scales as many.
template <typename Work, typename Scale>
void race(benchmark::State& state, int64_t bytes, const Work& work, const Scale& scale) {
  // Small work is repeated, so that the clock's own time does not count.
  const int64_t repeats = std::max<int64_t>(1, (int64_t{1} << 20) / bytes);
  std::vector<double> ratios;
  double scale_seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double mine = seconds_of(repeats, work), its = seconds_of(repeats, scale);
    state.SetIterationTime(mine);
    ratios.push_back(mine / its);
    scale_seconds += its;
  }
  std::nth_element(ratios.begin(), ratios.begin() + ratios.size() / 2, ratios.end());
  const auto total = static_cast<double>(bytes * static_cast<int64_t>(ratios.size()));
  state.SetBytesProcessed(bytes * state.iterations());
  state.counters["scale_bytes_per_second"] =
      benchmark::Counter(total / scale_seconds, {}, benchmark::Counter::kIs1024);
  state.counters["vs_scale"] = ratios[ratios.size() / 2];  // the median
}

Spectrum llama_spectrum(const RotaryLayout& layout) {
  return make_spectrum({.rope_theta = 500000, .rotary_dim = kHeadDim, .layout = layout});
}

// q and k of one layer, as bytes of either type that hold numbers near 1.
struct Heads {
  std::vector<float> memory;
  TensorView q, k;

  Heads(DType dtype, int64_t tokens) {
    const int64_t q_size = tokens * kQueryHeads * kHeadDim, k_size = tokens * kKeyHeads * kHeadDim;
    const int64_t per_float = dtype == DType::f32 ? 1 : 2;
    memory.assign(static_cast<size_t>((q_size + k_size) / per_float), 1.00390625f * 1.5f);
    q = make_view(memory.data(), dtype, {1, tokens, kQueryHeads, kHeadDim});
    k = make_view(memory.data() + q_size / per_float, dtype, {1, tokens, kKeyHeads, kHeadDim});
  }
};

void rope(benchmark::State& state, DType dtype, Pairing pairing, int64_t tokens) {
  const RotaryLayout layout{kHeadDim, {{0, kHeadDim, pairing}}};
  const Spectrum spectrum = llama_spectrum(layout);
  Heads heads(dtype, tokens);
  const RopeOptions options{.parallel = {.threads = 1}};
  const auto count = static_cast<int64_t>(heads.memory.size());
  race(
      state, count * 4,
      [&] {
        apply_rope(spectrum, layout, positions_from(100), in_place(heads.q), in_place(heads.k),
                   options);
      },
      [&] {
        scale_in_place(heads.memory.data(), count, kOne);
        benchmark::ClobberMemory();
      });
}

void rows(benchmark::State& state) {
  constexpr int64_t kRows = 65536, kPairs = kHeadDim / 2;
  const RotaryLayout layout{kHeadDim, {{0, kHeadDim}}};
  const Spectrum spectrum = llama_spectrum(layout);
  const RowSource source = row_source(spectrum, 1, false);
  std::vector<float> table(2 * kRows * kPairs);
  race(
      state, static_cast<int64_t>(table.size()) * 4,
      [&] { cos_sin_rows(source, 0, kRows, 2 * kPairs, table.data(), table.data() + kPairs); },
      [&] {
        scale_in_place(table.data(), static_cast<int64_t>(table.size()), kOne);
        benchmark::ClobberMemory();
      });
  state.counters["pairs_per_second"] =
      benchmark::Counter(kRows * kPairs, benchmark::Counter::kIsIterationInvariantRate);
}

// The number of iterations is fixed: enough for a median, a few seconds in all.
void declare(const std::string& title, int iterations,
             const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(title.c_str(), run)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(iterations);
}

void declare_all() {
  for (int64_t tokens : {1, 4096}) {
    for (DType dtype : {DType::f32, DType::bf16}) {
      for (Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
        const std::string title = "rope/tokens:" + std::to_string(tokens) + "/" +
                                  std::string(name(dtype)) + "/" + std::string(name(pairing));
        declare(title, tokens == 1 ? 400 : 30,
                [=](benchmark::State& state) { rope(state, dtype, pairing, tokens); });
      }
    }
  }
  declare("rows/65536x64", 30, rows);
}

}  // namespace
}  // namespace ropewalk

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("target", ropewalk::available_targets().front());
  ropewalk::declare_all();
  benchmark::RunSpecifiedBenchmarks();
}
