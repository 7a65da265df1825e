#include "ropewalk/apply/rope.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "ropewalk/apply/rope_call.h"
#include "ropewalk/base/error.h"
#include "ropewalk/kernels/simd/targets.h"
#include "ropewalk/tables/row_source.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

// Bytes of q and k below which waking another thread, which has to fetch them from this one's
// cache, costs more than it saves: 32 tokens of 20 KB took 1.5 times as long with two threads, 128
// took 0.86.
constexpr int64_t kBytesForThreads = 2 << 20;
constexpr int64_t kBytesPerTask = 128 << 10;

int64_t bytes_per_token(const RopeJob& job) {
  int64_t bytes = 0;
  for (int t = 0; t < job.tensor_count; ++t) {
    bytes += job.tensors[t].heads * job.head_dim *
             static_cast<int64_t>(size_in_bytes(job.tensors[t].dtype));
  }
  return bytes;
}

// Nothing to rotate, of whatever batch and length: their product may be beyond int64.
bool is_empty(const RopeJob& job) {
  return job.batch == 0 || job.length == 0 || bytes_per_token(job) == 0;
}

// Results may go around the caches only as whole vectors at whole addresses.
bool can_stream(const RopeJob& job) {
  constexpr uintptr_t kVector = 64;
  uintptr_t odd = 0;
  for (int t = 0; t < job.tensor_count; ++t) {
    const RopeTensor& tensor = job.tensors[t];
    if (tensor.in_place || !tensor.packed) return false;
    odd |= reinterpret_cast<uintptr_t>(tensor.out);
    for (int i = 0; i < 3; ++i) odd |= static_cast<uintptr_t>(tensor.out_strides[i]);
    for (const RotaryWindow& window : job.windows) {
      const auto size = static_cast<int64_t>(size_in_bytes(tensor.dtype));
      odd |= static_cast<uintptr_t>(window.offset * size) |
             static_cast<uintptr_t>(window.dim / 2 * size);
    }
  }
  return job.source_of.empty() && odd % kVector == 0;
}

void choose_ways(RopeJob& job, int64_t bytes) {
  const RopeTensor& q = job.tensors[0];
  job.heads_first =
      q.heads > 1 && job.length > 1 && std::abs(q.in_strides[1]) < std::abs(q.in_strides[2]);
  job.bf16_in_hardware = bf16_conversion_allowed();
  // Both as measured in docs/speed.md: what lies in a near cache needs no prefetch, and results
  // that will be read from a cache must not go around it.
  if (bytes > second_level_cache_in_bytes() && prefetch_pays()) job.prefetch = 4096;
  const int64_t beyond_caches = std::min(last_level_cache_in_bytes(), int64_t{32} << 20);
  job.streamed = bytes > beyond_caches && can_stream(job);
}

void run(RopeJob& job, const Parallel& parallel) {
  if (is_empty(job)) return;
  const int64_t tokens = job.batch * job.length, per_token = bytes_per_token(job);
  const int64_t bytes = tokens * per_token;
  choose_ways(job, bytes);
  if (bytes <= kBytesForThreads) return rope_tokens(job, 0, tokens);
  int64_t per_task = std::max<int64_t>(1, kBytesPerTask / per_token);
  // A run of rows, or of a head's tokens, is best long.
  if (tokens >= 1024) per_task = (per_task + 63) / 64 * 64;
  const int64_t tasks = (tokens + per_task - 1) / per_task;
  parallel_for(parallel, tasks, [&](int64_t task) {
    rope_tokens(job, task * per_task, std::min(tokens, (task + 1) * per_task));
  });
}

RopeTableRows table_rows(const TableView& table, Direction direction) {
  check_view(table.cos, "cos");
  check_view(table.sin, "sin");
  check_rope_dtype(table.cos.dtype, "cos");
  check_rope_dtype(table.sin.dtype, "sin");
  if (table.cos.shape.size() != 2 || !(table.cos.shape == table.sin.shape)) {
    fail(fmt::format("cos and sin: expected two tables [rows, pairs], found {} and {}",
                     to_string(table.cos.shape), to_string(table.sin.shape)));
  }
  RopeTableRows rows{static_cast<const char*>(table.cos.data),
                     static_cast<const char*>(table.sin.data), table.cos.dtype, table.sin.dtype};
  for (int i = 0; i < 2; ++i) {
    rows.cos_strides[i] =
        table.cos.strides[i] * static_cast<int64_t>(size_in_bytes(table.cos.dtype));
    rows.sin_strides[i] =
        table.sin.strides[i] * static_cast<int64_t>(size_in_bytes(table.sin.dtype));
  }
  rows.first = table.first;
  rows.as_it_is = direction == Direction::forward && rows.cos_dtype == DType::f32 &&
                  rows.sin_dtype == DType::f32 && table.cos.strides[1] == 1 &&
                  table.sin.strides[1] == 1;
  rows.invert = direction == Direction::inverse;
  rows.negate_sin = direction != Direction::forward;
  return rows;
}

void check_rows_exist(const PositionReader& positions, const RopeJob& job, const TableView& table) {
  if (is_empty(job)) return;
  const int64_t rows = table.cos.shape[0];
  for (int64_t b = 0; b < job.batch; ++b) {
    for (int64_t s = 0; s < job.length; ++s) {
      const int64_t p = positions.at(0, b, s);
      const uint64_t row = static_cast<uint64_t>(p) - static_cast<uint64_t>(table.first);
      if (p < table.first || row >= static_cast<uint64_t>(rows)) {
        fail(fmt::format("position_ids[{}, {}] is {}, but the table has {} rows from position {}",
                         b, s, p, rows, table.first),
             ErrorCode::out_of_range);
      }
    }
  }
}

}  // namespace

void apply_rope(const Spectrum& spectrum, const RotaryLayout& layout, const PositionIds& positions,
                const Rotated& q, const std::optional<Rotated>& k, const RopeOptions& options) {
  check_spectrum(spectrum);
  RopeJob job;
  fill_rope_job(job, layout, static_cast<int64_t>(spectrum.inv_freq.size()), q, k, options);
  job.axes = axis_count(spectrum);
  const RowSource rows = row_source(spectrum, options.direction);
  const RowSteps steps = row_steps(rows, job.length);
  const PositionReader reader(positions, job.batch, job.length, job.axes);
  job.rows = &rows;
  job.steps = &steps;
  job.positions = &reader;
  run(job, options.parallel);
}

void apply_rope(const RopeRows& rows, const RotaryLayout& layout, const Rotated& q,
                const std::optional<Rotated>& k, const RopeOptions& options) {
  RopeJob job;
  fill_rope_job(job, layout, rows.pairs, q, k, options);
  if (rows.length != job.length || (rows.batch != job.batch && rows.batch != 1)) {
    fail(fmt::format("rows: for {} sequences of {} tokens, but q has {} of {}", rows.batch,
                     rows.length, job.batch, job.length));
  }
  if (rows.rows.size() != static_cast<size_t>(rows.batch * rows.length * 2 * rows.pairs)) {
    fail(fmt::format("rows: expected {} x {} x 2 x {} numbers, found {}", rows.batch, rows.length,
                     rows.pairs, rows.rows.size()));
  }
  if (rows.direction != options.direction) {
    fail("rows: made for another direction than options.direction");
  }
  static constexpr float kNoPairs = 0;
  job.token_rows = rows.pairs == 0 ? &kNoPairs : rows.rows.data();
  job.token_rows_per_batch = rows.batch == 1 ? 0 : rows.length * 2 * rows.pairs;
  run(job, options.parallel);
}

void apply_rope(const TableView& table, const RotaryLayout& layout, const PositionIds& positions,
                const Rotated& q, const std::optional<Rotated>& k, const RopeOptions& options) {
  const RopeTableRows rows = table_rows(table, options.direction);
  RopeJob job;
  fill_rope_job(job, layout, table.cos.shape[1], q, k, options);
  const PositionReader reader(positions, job.batch, job.length, 1);
  check_rows_exist(reader, job, table);
  job.table = &rows;
  job.positions = &reader;
  run(job, options.parallel);
}

}  // namespace ropewalk
