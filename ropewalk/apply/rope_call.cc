// The checks of a call, and the job that a good one becomes.
#include "ropewalk/apply/rope_call.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/fixed_vector.h"
#include "ropewalk/base/overlap.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

using Bytes = std::pair<const char*, const char*>;  // first, one past the last

bool meet(const Bytes& a, const Bytes& b) {
  return a.first != a.second && b.first != b.second && a.first < b.second && b.first < a.second;
}

// Which axes of a view are batch, token, head and channel; -1: there is no batch.
using Axes = std::array<int, 4>;

Axes axes_of(const ConstTensorView& view, TensorLayout layout, const char* what) {
  const int rank = view.shape.size();
  const bool heads_first = layout == TensorLayout::bhsd;
  if (rank == 4 && layout != TensorLayout::thd) {
    return heads_first ? Axes{0, 2, 1, 3} : Axes{0, 1, 2, 3};
  }
  if (rank != 3) as_bshd(view, layout, what);  // throws
  return heads_first ? Axes{-1, 1, 0, 2} : Axes{-1, 0, 1, 2};
}

// q or k as [batch, seq, heads, head_dim]. Small numbers and no copies of views: for one token, the
// checks are half of a call.
struct Checked {
  const Rotated* x;
  TensorLayout layout;
  bool in_place;
  Bytes in_bytes, out_bytes;
  int64_t shape[4];

  ConstTensorView in() const { return as_bshd(x->in, layout, ""); }
  ConstTensorView out() const { return as_bshd(x->out, layout, ""); }
};

// The shape, and the strides in bytes of f32, bf16 or f16. Returns whether the shapes are equal.
bool fill_axes(Checked& checked, RopeTensor& tensor, const char* what, const char* output_name) {
  const ConstTensorView& in = checked.x->in;
  const TensorView& out = checked.x->out;
  const Axes from = axes_of(in, checked.layout, what);
  const Axes to = checked.in_place ? from : axes_of(out, checked.layout, output_name);
  const int64_t size = in.dtype == DType::f32 ? 4 : 2;
  bool equal = true, contents = true;
  for (int64_t dim : in.shape) contents &= dim != 0;
  for (size_t i = 0; i < 4; ++i) {
    checked.shape[i] = from[i] < 0 ? 1 : in.shape[from[i]];
    equal &= checked.shape[i] == (to[i] < 0 ? 1 : out.shape[to[i]]);
    // The stride of an axis of one number, or of an empty one, may be anything and leads nowhere.
    const bool steps = checked.shape[i] > 1 && contents;
    tensor.in_strides[i] = steps ? in.strides[from[i]] * size : 0;
    tensor.out_strides[i] = checked.in_place      ? tensor.in_strides[i]
                            : steps && to[i] >= 0 ? out.strides[to[i]] * size
                                                  : 0;
  }
  tensor.packed =
      checked.shape[3] <= 1 || (tensor.in_strides[3] == size && tensor.out_strides[3] == size);
  return equal;
}

void check_output(const Checked& checked, bool equal_shapes, const char* output_name) {
  const Rotated& x = *checked.x;
  if (x.out.dtype != x.in.dtype) {
    fail(fmt::format("{}: expected dtype {} as the input, found {}", output_name, name(x.in.dtype),
                     name(x.out.dtype)));
  }
  if (!equal_shapes) {
    fail(fmt::format("{}: expected shape {} as the input, found {}", output_name,
                     to_string(x.in.shape), to_string(x.out.shape)));
  }
  if (!checked.in_place && meet(checked.in_bytes, checked.out_bytes) &&
      may_overlap(checked.in(), checked.out())) {
    fail(fmt::format("{}: overlaps the input without being the same view", output_name));
  }
}

int64_t rope_size(DType dtype) {
  if (dtype == DType::f32) return 4;
  return dtype == DType::bf16 || dtype == DType::f16 ? 2 : 0;
}

// The usual call in one pass: a row-major tensor that is rotated in place. False for any other,
// right or wrong.
bool fill_row_major(Checked& checked, RopeTensor& tensor, int64_t head_dim) {
  const ConstTensorView& in = checked.x->in;
  const TensorView& out = checked.x->out;
  const int64_t size = rope_size(in.dtype);
  const int rank = in.shape.size();
  bool fits = (in.data != nullptr) & (in.data == out.data) & (in.dtype == out.dtype) & (size != 0);
  fits &= (rank == 3) | ((rank == 4) & (checked.layout != TensorLayout::thd));
  fits &= (out.shape.size() == rank) & (in.strides.size() == rank) & (out.strides.size() == rank);
  if (!fits) return false;
  checked.shape[0] = 1;
  tensor.in_strides[0] = tensor.out_strides[0] = 0;
  int64_t step = 1;
  for (int i = rank - 1, axis = 3; i >= 0; --i, --axis) {
    const int64_t dim = in.shape[i];
    fits &= (dim > 0) & (out.shape[i] == dim);
    fits &= (dim == 1) | ((in.strides[i] == step) & (out.strides[i] == step));
    checked.shape[axis] = dim;
    tensor.in_strides[axis] = tensor.out_strides[axis] = dim == 1 ? 0 : step * size;
    fits &= !__builtin_mul_overflow(step, dim, &step);
    fits &= step <= int64_t{1} << 60;
    if (!fits) return false;
  }
  if (checked.shape[3] != head_dim) return false;
  if (checked.layout == TensorLayout::bhsd) {
    std::swap(checked.shape[1], checked.shape[2]);
    std::swap(tensor.in_strides[1], tensor.in_strides[2]);
    std::swap(tensor.out_strides[1], tensor.out_strides[2]);
  }
  const char* const data = static_cast<const char*>(in.data);
  checked.in_place = tensor.in_place = tensor.packed = true;
  checked.in_bytes = checked.out_bytes = {data, data + step * size};
  tensor.in = data;
  tensor.out = static_cast<char*>(out.data);
  tensor.dtype = in.dtype;
  tensor.heads = checked.shape[2];
  return true;
}

// Checks one tensor and fills in what the kernel reads.
void check(Checked& checked, RopeTensor& tensor, int64_t head_dim, const char* what,
           const char* output_name) {
  if (fill_row_major(checked, tensor, head_dim)) return;
  const Rotated& x = *checked.x;
  const int64_t bytes = contiguous_bytes(x.in);
  const char* const data = static_cast<const char*>(x.in.data);
  checked.in_bytes = bytes > 0 ? Bytes{data, data + bytes} : check_view(x.in, what);
  check_rope_dtype(x.in.dtype, what);
  checked.in_place = same_view(x.in, x.out);
  checked.out_bytes = checked.in_place ? checked.in_bytes : check_view(x.out, output_name);
  const bool equal_shapes = fill_axes(checked, tensor, what, output_name);
  check_output(checked, equal_shapes, output_name);
  if (checked.shape[3] != head_dim) {
    fail(fmt::format("{}: expected heads of head_dim {} channels, found {} in shape {}", what,
                     head_dim, checked.shape[3], to_string(x.in.shape)));
  }
  const bool surely_apart = checked.in_place && bytes > 0;
  if (!surely_apart && may_alias_itself(x.out)) {
    fail(fmt::format("{}: strides {} name one address twice", output_name,
                     to_string(x.out.strides)));
  }
  tensor.in = data;
  tensor.out = static_cast<char*>(x.out.data);
  tensor.dtype = x.in.dtype;
  tensor.heads = checked.shape[2];
  tensor.in_place = checked.in_place;
}

void check_apart(const Checked& q, const Checked& k) {
  if ((meet(q.out_bytes, k.out_bytes) && may_overlap(q.out(), k.out())) ||
      (meet(q.out_bytes, k.in_bytes) && may_overlap(q.out(), k.in())) ||
      (meet(q.in_bytes, k.out_bytes) && may_overlap(q.in(), k.out()))) {
    fail("q and k overlap");
  }
  for (size_t axis : {0, 1}) {
    if (q.shape[axis] != k.shape[axis]) {
      fail(fmt::format("q has {} {} but k has {}", q.shape[axis],
                       axis == 0 ? "sequences" : "tokens", k.shape[axis]));
    }
  }
}

// The channels that lie in no window, as runs; returns how many.
int find_gaps(const RotaryLayout& layout, RopeGap* gaps) {
  FixedVector<RotaryWindow, kMaxWindows> windows;
  for (const RotaryWindow& window : layout.windows) windows.push_back(window);
  std::sort(windows.begin(), windows.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  int count = 0;
  int64_t end = 0;
  for (const RotaryWindow& window : windows) {
    if (window.offset > end) gaps[count++] = {end, window.offset - end};
    end = window.offset + window.dim;
  }
  if (end < layout.head_dim) gaps[count++] = {end, layout.head_dim - end};
  return count;
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
  RopeGap gaps[kMaxWindows + 1];
  const int gap_count = find_gaps(layout, gaps);
  for (const RopeGap& gap : std::span(gaps, static_cast<size_t>(gap_count))) {
    for (int64_t c = 0; c < gap.count; ++c) order.push_back(gap.offset + c);
  }
  return order;
}

std::vector<int32_t> source_channels(const RotaryLayout& from, const RotaryLayout& to) {
  check_layout(to);
  bool fits = from.head_dim == to.head_dim && from.windows.size() == to.windows.size();
  for (size_t i = 0; fits && i < from.windows.size(); ++i) {
    fits = from.windows[i].dim == to.windows[i].dim;
  }
  if (!fits) {
    fail("output_layout must have the head_dim of the layout, and windows of the same sizes");
  }
  if (from == to) return {};
  std::vector<int32_t> source(static_cast<size_t>(from.head_dim));
  const std::vector<int64_t> in = channel_order(from), out = channel_order(to);
  for (size_t i = 0; i < in.size(); ++i) {
    source[static_cast<size_t>(out[i])] = static_cast<int32_t>(in[i]);
  }
  return source;
}

void fill_layout(RopeJob& job, const RotaryLayout& layout, const RopeOptions& options) {
  job.head_dim = layout.head_dim;
  job.windows = layout.windows;
  job.pairs = pair_count(layout);
  if (2 * job.pairs != job.head_dim) job.gap_count = find_gaps(layout, job.gaps);
  if (options.output_layout) job.source_of = source_channels(layout, *options.output_layout);
}

}  // namespace

void check_rope_dtype(DType dtype, const char* what) {
  if (dtype != DType::f32 && dtype != DType::bf16 && dtype != DType::f16) {
    fail(fmt::format("{}: expected dtype f32, bf16 or f16, found {}", what, name(dtype)),
         ErrorCode::unsupported);
  }
}

void fill_rope_job(RopeJob& job, const RotaryLayout& layout, int64_t pairs, const Rotated& q,
                   const std::optional<Rotated>& k, const RopeOptions& options) {
  check_layout(layout);
  fill_layout(job, layout, options);
  if (job.pairs != pairs) {
    fail(fmt::format("the layout has {} pairs, but cos and sin have {}", job.pairs, pairs));
  }
  Checked checked_q{&q, options.tensor_layout};
  check(checked_q, job.tensors[0], layout.head_dim, "q", "q output");
  job.batch = checked_q.shape[0];
  job.length = checked_q.shape[1];
  if (k) {
    Checked checked_k{&*k, options.tensor_layout};
    check(checked_k, job.tensors[1], layout.head_dim, "k", "k output");
    check_apart(checked_q, checked_k);
    job.tensor_count = 2;
  }
}

}  // namespace ropewalk
