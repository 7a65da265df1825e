#include "cli/bench/workloads.h"

#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/bench/attention_workloads.h"
#include "cli/bench/buffer.h"
#include "cli/bench/roof.h"
#include "ropewalk/apply/positional_encoding.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/base/error.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/sinusoidal.h"

namespace ropewalk::cli {
namespace {

enum class Rows { on_the_fly, shared };
enum class Place { in, out };

// q and k of one layer, rotated.
struct RopeCase {
  std::string name;
  int64_t batch = 1, length = 1;
  Rows rows = Rows::on_the_fly;
  Place place = Place::in;
  TensorLayout layout = TensorLayout::bshd;
  int64_t query_heads = 32, key_heads = 8, head_dim = 128, rotary_dim = 128;  // LLaMA 3 8B
  bool large = false;
  std::string unit = {};  // of a series
  int64_t units = 0;
};

const RopeCase kRopeCases[] = {
    {.name = "decode_1", .rows = Rows::shared},
    {.name = "decode_1_on_the_fly"},
    {.name = "decode_64", .batch = 64, .rows = Rows::shared},
    {.name = "decode_64_on_the_fly", .batch = 64},
    {.name = "prefill_4096", .length = 4096},
    {.name = "prefill_4096_out_of_place", .length = 4096, .place = Place::out},
    {.name = "prefill_4096_head_major", .length = 4096, .layout = TensorLayout::bhsd},
    {.name = "partial_16_of_64",
     .length = 4096,
     .query_heads = 16,
     .key_heads = 16,
     .head_dim = 64,
     .rotary_dim = 16},
    {.name = "prefill_32768", .length = 32768, .large = true},
    {.name = "prefill_32768_out_of_place", .length = 32768, .place = Place::out, .large = true},
};

// Five cases for each unit, each twice the one before; beyond the second cache from the first on,
// so that one line can hold.
std::vector<RopeCase> series() {
  std::vector<RopeCase> cases;
  for (int64_t i = 1; i <= 16; i *= 2) {
    cases.push_back({.name = "line_tokens", .length = 512 * i, .unit = "tokens", .units = 512 * i});
    cases.push_back({.name = "line_heads",
                     .length = 2048,
                     .query_heads = 4 * i,
                     .key_heads = i,
                     .unit = "heads",
                     .units = 5 * i});
    cases.push_back({.name = "line_sequences",
                     .batch = 128 * i,
                     .rows = Rows::shared,
                     .unit = "sequences",
                     .units = 128 * i});
  }
  return cases;
}

// What a case is measured with.
struct RopeBench {
  const RopeCase& c;
  RotaryLayout layout;
  Spectrum spectrum;
  Buffer in;
  std::optional<Buffer> out;
  Rotated q, k;
  std::vector<int64_t> ids;
  PositionIds positions;
  RopeRows rows;
  RopeOptions options;

  RopeBench(const RopeCase& rope_case, DType dtype, Pairing pairing, int threads)
      : c(rope_case),
        layout{c.head_dim, {{0, c.rotary_dim, pairing}}},
        spectrum(
            make_spectrum({.rope_theta = 500000, .rotary_dim = c.rotary_dim, .layout = layout})),
        in(dtype, c.batch * c.length * (c.query_heads + c.key_heads) * c.head_dim *
                      static_cast<int64_t>(size_in_bytes(dtype))) {
    if (c.place == Place::out) out.emplace(dtype, in.bytes());
    const int64_t key_offset = in.bytes() / (c.query_heads + c.key_heads) * c.query_heads;
    const auto rotated = [&](int64_t heads, int64_t offset) {
      const Dims shape = c.layout == TensorLayout::bhsd
                             ? Dims{c.batch, heads, c.length, c.head_dim}
                             : Dims{c.batch, c.length, heads, c.head_dim};
      char* const to = out ? out->data() : in.data();
      return Rotated{make_view(static_cast<const void*>(in.data() + offset), dtype, shape),
                     make_view(static_cast<void*>(to + offset), dtype, shape)};
    };
    q = rotated(c.query_heads, 0);
    k = rotated(c.key_heads, key_offset);
    // A batch in a server is at positions of its own.
    for (int64_t b = 0; c.batch > 1 && b < c.batch * c.length; ++b) ids.push_back(b * 7919 % 8192);
    positions = ids.empty() ? positions_from(4000)
                            : positions_of(make_view(static_cast<const void*>(ids.data()),
                                                     DType::i64, {c.batch, c.length}));
    rows = make_rope_rows(spectrum, positions, c.batch, c.length);
    options.tensor_layout = c.layout;
    options.parallel.threads = threads;
  }

  void rotate() const {
    if (c.rows == Rows::shared) return apply_rope(rows, layout, q, k, options);
    apply_rope(spectrum, layout, positions, q, k, options);
  }

  // The same call with no tokens: its checks alone.
  void check() const {
    Rotated no_q = q, no_k = k;
    for (Rotated* x : {&no_q, &no_k}) x->in.shape[0] = x->out.shape[0] = 0;
    if (c.rows == Rows::shared) {
      RopeRows none = {1, c.length, rows.pairs, Direction::forward, {}};
      none.rows.resize(static_cast<size_t>(2 * c.length * rows.pairs));
      return apply_rope(none, layout, no_q, no_k, options);
    }
    apply_rope(spectrum, layout, positions_from(0), no_q, no_k, options);
  }
};

Measured measure_rope(const RopeCase& c, DType dtype, Pairing pairing, int threads, int rounds) {
  const RopeBench bench(c, dtype, pairing, threads);
  const auto size = static_cast<int64_t>(size_in_bytes(dtype));
  Memory memory{bench.in.data(), bench.in.bytes(), dtype == DType::f32};
  if (c.rotary_dim < c.head_dim) {
    memory.used = c.rotary_dim * size;
    memory.stride = c.head_dim * size;
  }
  Measured result{c.name, std::string(name(dtype)), std::string(name(pairing)), threads};
  result.unit = c.unit;
  result.units = c.units;
  result.bytes = memory.used == 0 ? memory.bytes : memory.bytes / memory.stride * memory.used;
  const Parallel parallel = bench.options.parallel;
  std::vector<Times> times =
      race({[&] { bench.rotate(); }, [&] { touch_in_place(memory, parallel); }}, rounds);
  result.work = times[0];
  result.memory = times[1];
  if (!c.unit.empty()) return result;
  if (c.length > 1 && c.rows == Rows::on_the_fly && threads > 1) return result;
  times = race({[&] { bench.check(); },
                [&] {
                  make_rope_rows(bench.spectrum, bench.positions, c.batch, c.length,
                                 Direction::forward, parallel);
                }},
               3);
  if (c.rows == Rows::on_the_fly) result.rows = times[1].median;
  if (c.rows == Rows::on_the_fly) result.checks = times[0].median;
  return result;
}

// Rows of cos and sin into memory that is there.
Measured measure_table(int threads, int rounds) {
  constexpr int64_t kRows = 65536;
  const RotaryLayout layout{128, {{0, 128, Pairing::half_split}}};
  const Spectrum spectrum =
      make_spectrum({.rope_theta = 500000, .rotary_dim = 128, .layout = layout});
  const RowSource source = row_source(spectrum, 1, false);
  const RowSteps steps = row_steps(source, kRows);
  const Parallel parallel{threads, {}};
  const Buffer memory(DType::f32, kRows * 128 * 4);
  auto* const rows = reinterpret_cast<float*>(memory.data());
  constexpr int64_t kPerTask = 512;
  const auto make = [&](int64_t task) {
    float* const out = rows + task * kPerTask * 128;
    cos_sin_run(source, steps, task * kPerTask, kPerTask, 128, out, out + 64);
  };
  const std::vector<Times> times =
      race({[&] { parallel_for(parallel, kRows / kPerTask, make); },
            [&] {
              touch_in_place({memory.data(), memory.bytes(), true}, parallel);
            }},
           rounds);
  return {"rows_65536x64", "f32", "", threads, memory.bytes(), times[0], times[1], {}, {}};
}

Measured measure_sinusoidal(int threads, int rounds) {
  const Buffer out(DType::f32, 5000 * 512 * 4);
  std::vector<int64_t> positions(5000);
  std::iota(positions.begin(), positions.end(), 0);
  const TensorView view = make_view(static_cast<void*>(out.data()), DType::f32, {5000, 512});
  const Parallel parallel{threads, {}};
  const std::vector<Times> times =
      race({[&] { sinusoidal(SinusoidalConfig{}, positions, view, parallel); },
            [&] {
              touch_in_place({out.data(), out.bytes(), true}, parallel);
            }},
           rounds);
  return {"sinusoidal_5000x512", "f32", "", threads, out.bytes(), times[0], times[1], {}, {}};
}

// x += pe, and with dropout.
Measured measure_add(bool training, int threads, int rounds) {
  const Buffer x(DType::f32, int64_t{32} * 1024 * 512 * 4);
  const TensorView view = make_view(static_cast<void*>(x.data()), DType::f32, {32, 1024, 512});
  const PositionalEncoding module{.d_model = 512, .dropout = 0.1};
  const Parallel parallel{threads, {}};
  const DropoutMode mode{.training = training, .seed = 1};
  const std::vector<Times> times =
      race({[&] { forward(module, view, view, SequenceAxis::batch_first, mode, parallel); },
            [&] {
              touch_in_place({x.data(), x.bytes(), true}, parallel);
            }},
           rounds);
  return {.workload = training ? "add_pe_dropout" : "add_pe",
          .dtype = "f32",
          .threads = threads,
          .bytes = x.bytes(),
          .work = times[0],
          .memory = times[1]};
}

}  // namespace

std::vector<Measured> measure(const BenchOptions& options) {
  std::vector<Measured> all;
  std::set<std::string> names;
  const auto wanted = [&](const std::string& workload) {
    names.insert(workload);
    if (workload.find(options.only) == std::string::npos) return false;
    if (options.progress) options.progress(workload);
    return true;
  };
  for (int threads : options.threads) {
    for (const RopeCase& c : options.lines ? series() : std::vector<RopeCase>()) {
      if (!wanted(c.name)) continue;
      for (DType dtype : {DType::f32, DType::bf16}) {
        all.push_back(measure_rope(c, dtype, Pairing::half_split, threads, options.rounds));
      }
    }
    if (options.lines) continue;
    for (const RopeCase& c : kRopeCases) {
      if (c.large && !options.large) {
        names.insert(c.name + " (with --large)");
        continue;
      }
      if (!wanted(c.name)) continue;
      for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
        for (Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
          all.push_back(measure_rope(c, dtype, pairing, threads, options.rounds));
        }
      }
    }
    if (wanted("rows_65536x64")) all.push_back(measure_table(threads, options.rounds));
    if (wanted("sinusoidal_5000x512")) all.push_back(measure_sinusoidal(threads, options.rounds));
    if (wanted("add_pe")) all.push_back(measure_add(false, threads, options.rounds));
    for (const AttentionCase& c : attention_cases()) {
      if (c.large && !options.large) {
        names.insert(c.name + " (with --large)");
      } else if (wanted(c.name)) {
        for (DType dtype : {DType::f32, DType::bf16, DType::i8}) {
          if (dtype == DType::i8 && c.queries > 1) continue;
          all.push_back(measure_attention(c, dtype, threads, options.rounds));
        }
      }
    }
    if (wanted("add_pe_dropout")) all.push_back(measure_add(true, threads, options.rounds));
  }
  if (all.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--only: expected part of one of {}, found \"{}\"",
                            fmt::join(names, ", "), escaped(options.only)));
  }
  return all;
}

}  // namespace ropewalk::cli
