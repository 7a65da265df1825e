#include "ropewalk/kernels/rope/rope.h"

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/overlap.h"
#include "ropewalk/kernels/rope/rope_job.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

// Bytes of q and k below which handing work to another thread costs more than it saves.
constexpr int64_t kBytesPerTask = 128 << 10;

void check_dtype(DType dtype, const char* what) {
  if (dtype != DType::f32 && dtype != DType::bf16 && dtype != DType::f16) {
    fail(fmt::format("{}: dtype {} is not supported, expected f32, bf16 or f16", what, name(dtype)),
         ErrorCode::unsupported);
  }
}

// q or k, its views as [batch, seq, heads, head_dim].
struct Checked {
  const char* what;
  ConstTensorView in;
  TensorView out;
};

Checked checked(const Rotated& x, TensorLayout layout, int64_t head_dim, const char* what,
                const char* output_name) {
  check_view(x.in, what);
  check_view(x.out, output_name);
  check_dtype(x.in.dtype, what);
  if (x.out.dtype != x.in.dtype)
    fail(fmt::format("{}: dtype {}, expected {} as the input", output_name, name(x.out.dtype),
                     name(x.in.dtype)));
  const Checked result{what, as_bshd(x.in, layout, what), as_bshd(x.out, layout, output_name)};
  if (!(result.in.shape == result.out.shape)) {
    fail(fmt::format("{}: shape {}, expected {} as the input", output_name, to_string(x.out.shape),
                     to_string(x.in.shape)));
  }
  if (result.in.shape[3] != head_dim) {
    fail(fmt::format("{}: shape {} has heads of {} channels, expected head_dim {}", what,
                     to_string(x.in.shape), result.in.shape[3], head_dim));
  }
  if (may_alias_itself(result.out))
    fail(fmt::format("{}: strides {} name one address twice", output_name,
                     to_string(x.out.strides)));
  if (!same_view(result.in, result.out) && may_overlap(result.in, result.out)) {
    fail(fmt::format("{}: overlaps the input without being the same view", output_name));
  }
  return result;
}

void check_apart(const Checked& q, const Checked& k) {
  if (may_overlap(q.out, k.out) || may_overlap(q.out, k.in) || may_overlap(q.in, k.out))
    fail("q and k overlap");
  for (int axis : {0, 1}) {
    if (q.in.shape[axis] != k.in.shape[axis]) {
      fail(fmt::format("q has {} {} but k has {}", q.in.shape[axis],
                       axis == 0 ? "sequences" : "tokens", k.in.shape[axis]));
    }
  }
}

RopeTensor kernel_tensor(const Checked& x) {
  const auto size = static_cast<int64_t>(size_in_bytes(x.in.dtype));
  RopeTensor tensor{static_cast<const char*>(x.in.data), static_cast<char*>(x.out.data), x.in.dtype,
                    x.in.shape[2]};
  for (int i = 0; i < 4; ++i) {
    tensor.in_strides[i] = x.in.strides[i] * size;
    tensor.out_strides[i] = x.out.strides[i] * size;
  }
  tensor.in_place = same_view(x.in, x.out);
  tensor.packed = x.in.shape[3] <= 1 || (x.in.strides[3] == 1 && x.out.strides[3] == 1);
  return tensor;
}

// The channels that lie in no window, as runs.
auto gaps_of(const RotaryLayout& layout) {
  FixedVector<RotaryWindow, kMaxWindows> windows;
  for (const RotaryWindow& window : layout.windows) windows.push_back(window);
  std::sort(windows.begin(), windows.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  FixedVector<std::pair<int64_t, int64_t>, kMaxWindows + 1> gaps;
  int64_t end = 0;
  for (const RotaryWindow& window : windows) {
    if (window.offset > end) gaps.push_back({end, window.offset - end});
    end = window.offset + window.dim;
  }
  if (end < layout.head_dim) gaps.push_back({end, layout.head_dim - end});
  return gaps;
}

// The channels of a layout in an order that does not depend on where they lie: pair by pair, then
// the rest.
std::vector<int64_t> channel_order(const RotaryLayout& layout) {
  std::vector<int64_t> order;
  for (const RotaryWindow& window : layout.windows) {
    for (int64_t i = 0; i < window.dim / 2; ++i) {
      const bool half = window.pairing == Pairing::half_split;
      order.push_back(window.offset + (half ? i : 2 * i));
      order.push_back(window.offset + (half ? i + window.dim / 2 : 2 * i + 1));
    }
  }
  for (const auto& [offset, count] : gaps_of(layout)) {
    for (int64_t c = 0; c < count; ++c) order.push_back(offset + c);
  }
  return order;
}

std::vector<int32_t> source_channels(const RotaryLayout& from, const RotaryLayout& to) {
  check_layout(to);
  bool fits = from.head_dim == to.head_dim && from.windows.size() == to.windows.size();
  for (size_t i = 0; fits && i < from.windows.size(); ++i)
    fits = from.windows[i].dim == to.windows[i].dim;
  if (!fits)
    fail("output_layout must have the head_dim of the layout, and windows of the same sizes");
  if (from == to) return {};
  std::vector<int32_t> source(static_cast<size_t>(from.head_dim));
  const std::vector<int64_t> in = channel_order(from), out = channel_order(to);
  for (size_t i = 0; i < in.size(); ++i)
    source[static_cast<size_t>(out[i])] = static_cast<int32_t>(in[i]);
  return source;
}

void fill_layout(RopeJob& job, const RotaryLayout& layout, const RopeOptions& options) {
  job.head_dim = layout.head_dim;
  for (const RotaryWindow& window : layout.windows) {
    job.windows.push_back({window.offset, window.dim / 2, job.pairs, window.pairing});
    job.pairs += window.dim / 2;
    job.has_interleaved |= window.pairing == Pairing::interleaved;
  }
  job.gaps = gaps_of(layout);
  if (options.output_layout) job.source_of = source_channels(layout, *options.output_layout);
}

// Everything but the rows. Nothing has been written when it throws.
RopeJob make_job(const RotaryLayout& layout, int64_t pairs, const Rotated& q,
                 const std::optional<Rotated>& k, const RopeOptions& options) {
  check_layout(layout);
  if (pair_count(layout) != pairs)
    fail(
        fmt::format("the layout has {} pairs, but cos and sin have {}", pair_count(layout), pairs));
  RopeJob job;
  fill_layout(job, layout, options);
  const Checked checked_q = checked(q, options.tensor_layout, layout.head_dim, "q", "q output");
  job.tensors[0] = kernel_tensor(checked_q);
  job.batch = checked_q.in.shape[0];
  job.length = checked_q.in.shape[1];
  if (k) {
    const Checked checked_k = checked(*k, options.tensor_layout, layout.head_dim, "k", "k output");
    check_apart(checked_q, checked_k);
    job.tensors[1] = kernel_tensor(checked_k);
    job.tensor_count = 2;
  }
  return job;
}

void run(const RopeJob& job, const Parallel& parallel) {
  const int64_t tokens = job.batch * job.length;
  int64_t bytes_per_token = 0;
  for (int t = 0; t < job.tensor_count; ++t) {
    bytes_per_token += job.tensors[t].heads * job.head_dim *
                       static_cast<int64_t>(size_in_bytes(job.tensors[t].dtype));
  }
  if (tokens == 0 || bytes_per_token == 0) return;
  const int64_t tokens_per_task = std::max<int64_t>(1, kBytesPerTask / bytes_per_token);
  if (tokens <= 2 * tokens_per_task) return rope_tokens(job, 0, tokens);
  const int64_t tasks = (tokens + tokens_per_task - 1) / tokens_per_task;
  parallel_for(parallel, tasks, [&](int64_t task) {
    rope_tokens(job, task * tokens_per_task, std::min(tokens, (task + 1) * tokens_per_task));
  });
}

RopeTableRows table_rows(const TableView& table, Direction direction) {
  check_view(table.cos, "cos");
  check_view(table.sin, "sin");
  check_dtype(table.cos.dtype, "cos");
  check_dtype(table.sin.dtype, "sin");
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
  rows.invert = direction == Direction::inverse;
  rows.negate_sin = direction != Direction::forward;
  return rows;
}

void check_rows_exist(const PositionReader& positions, const RopeJob& job, const TableView& table) {
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

TableView view_of(const CosSinTable& table) {
  const Dims shape = {table.rows, table.pairs};
  return {make_view(static_cast<const void*>(table.cos.data()), DType::f32, shape),
          make_view(static_cast<const void*>(table.sin.data()), DType::f32, shape), table.first};
}

void apply_rope(const Spectrum& spectrum, const RotaryLayout& layout, const PositionIds& positions,
                const Rotated& q, const std::optional<Rotated>& k, const RopeOptions& options) {
  check_spectrum(spectrum);
  RopeJob job = make_job(layout, static_cast<int64_t>(spectrum.inv_freq.size()), q, k, options);
  job.axes = axis_count(spectrum);
  const double scaling = spectrum.attention_scaling;
  const RowSource rows =
      row_source(spectrum, options.direction == Direction::inverse ? 1 / scaling : scaling,
                 options.direction != Direction::forward);
  const PositionReader reader(positions, job.batch, job.length, job.axes);
  job.rows = &rows;
  job.positions = &reader;
  run(job, options.parallel);
}

void apply_rope(const TableView& table, const RotaryLayout& layout, const PositionIds& positions,
                const Rotated& q, const std::optional<Rotated>& k, const RopeOptions& options) {
  const RopeTableRows rows = table_rows(table, options.direction);
  RopeJob job = make_job(layout, table.cos.shape[1], q, k, options);
  const PositionReader reader(positions, job.batch, job.length, 1);
  check_rows_exist(reader, job, table);
  job.table = &rows;
  job.positions = &reader;
  run(job, options.parallel);
}

}  // namespace ropewalk
