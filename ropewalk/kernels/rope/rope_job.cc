// The checks of a call, and the job that a good one becomes.
#include "ropewalk/kernels/rope/rope_job.h"

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
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

// q or k, its views as [batch, seq, heads, head_dim].
struct Checked {
  ConstTensorView in;
  TensorView out;
  bool in_place;
  Bytes in_bytes, out_bytes;
};

void check_output(const Rotated& x, const Checked& checked, const char* output_name) {
  if (x.out.dtype != x.in.dtype)
    fail(fmt::format("{}: dtype {}, expected {} as the input", output_name, name(x.out.dtype),
                     name(x.in.dtype)));
  if (!(checked.in.shape == checked.out.shape)) {
    fail(fmt::format("{}: shape {}, expected {} as the input", output_name, to_string(x.out.shape),
                     to_string(x.in.shape)));
  }
  if (!checked.in_place && meet(checked.in_bytes, checked.out_bytes) &&
      may_overlap(checked.in, checked.out)) {
    fail(fmt::format("{}: overlaps the input without being the same view", output_name));
  }
}

Checked checked(const Rotated& x, TensorLayout layout, int64_t head_dim, const char* what,
                const char* output_name) {
  const Bytes in_bytes = check_view(x.in, what);
  check_rope_dtype(x.in.dtype, what);
  const bool in_place = same_view(x.in, x.out);
  const Bytes out_bytes = in_place ? in_bytes : check_view(x.out, output_name);
  Checked result{as_bshd(x.in, layout, what), {}, in_place, in_bytes, out_bytes};
  result.out = in_place ? TensorView{{x.out.data, x.out.dtype, result.in.shape, result.in.strides}}
                        : as_bshd(x.out, layout, output_name);
  check_output(x, result, output_name);
  if (result.in.shape[3] != head_dim) {
    fail(fmt::format("{}: shape {} has heads of {} channels, expected head_dim {}", what,
                     to_string(x.in.shape), result.in.shape[3], head_dim));
  }
  if (may_alias_itself(result.out))
    fail(fmt::format("{}: strides {} name one address twice", output_name,
                     to_string(x.out.strides)));
  return result;
}

void check_apart(const Checked& q, const Checked& k) {
  if ((meet(q.out_bytes, k.out_bytes) && may_overlap(q.out, k.out)) ||
      (meet(q.out_bytes, k.in_bytes) && may_overlap(q.out, k.in)) ||
      (meet(q.in_bytes, k.out_bytes) && may_overlap(q.in, k.out)))
    fail("q and k overlap");
  for (int axis : {0, 1}) {
    if (q.in.shape[axis] != k.in.shape[axis]) {
      fail(fmt::format("q has {} {} but k has {}", q.in.shape[axis],
                       axis == 0 ? "sequences" : "tokens", k.in.shape[axis]));
    }
  }
}

void fill_tensor(RopeTensor& tensor, const Checked& x) {
  const auto size = static_cast<int64_t>(size_in_bytes(x.in.dtype));
  tensor.in = static_cast<const char*>(x.in.data);
  tensor.out = static_cast<char*>(x.out.data);
  tensor.dtype = x.in.dtype;
  tensor.heads = x.in.shape[2];
  for (int i = 0; i < 4; ++i) {
    tensor.in_strides[i] = x.in.strides[i] * size;
    tensor.out_strides[i] = x.out.strides[i] * size;
  }
  tensor.in_place = x.in_place;
  tensor.packed = x.in.shape[3] <= 1 || (x.in.strides[3] == 1 && x.out.strides[3] == 1);
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
  }
  if (2 * job.pairs != job.head_dim) job.gaps = gaps_of(layout);
  if (options.output_layout) job.source_of = source_channels(layout, *options.output_layout);
}

}  // namespace

void check_rope_dtype(DType dtype, const char* what) {
  if (dtype != DType::f32 && dtype != DType::bf16 && dtype != DType::f16) {
    fail(fmt::format("{}: dtype {} is not supported, expected f32, bf16 or f16", what, name(dtype)),
         ErrorCode::unsupported);
  }
}

void fill_rope_job(RopeJob& job, const RotaryLayout& layout, int64_t pairs, const Rotated& q,
                   const std::optional<Rotated>& k, const RopeOptions& options) {
  check_layout(layout);
  fill_layout(job, layout, options);
  if (job.pairs != pairs)
    fail(fmt::format("the layout has {} pairs, but cos and sin have {}", job.pairs, pairs));
  const Checked checked_q = checked(q, options.tensor_layout, layout.head_dim, "q", "q output");
  fill_tensor(job.tensors[0], checked_q);
  job.batch = checked_q.in.shape[0];
  job.length = checked_q.in.shape[1];
  if (k) {
    const Checked checked_k = checked(*k, options.tensor_layout, layout.head_dim, "k", "k output");
    check_apart(checked_q, checked_k);
    fill_tensor(job.tensors[1], checked_k);
    job.tensor_count = 2;
  }
}

}  // namespace ropewalk
