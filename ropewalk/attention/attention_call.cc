#include "ropewalk/attention/attention_call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/overlap.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

struct Named {
  const char* name;
  const ConstTensorView& view;  // as the caller gave it
  ConstTensorView bshd;
};

Named named(const char* name, const ConstTensorView& view, TensorLayout layout) {
  check_view(view, name);
  if (view.dtype != DType::f32 && view.dtype != DType::bf16 && view.dtype != DType::f16) {
    fail(fmt::format("{}: expected dtype f32, bf16 or f16, found {}", name,
                     ropewalk::name(view.dtype)),
         ErrorCode::unsupported);
  }
  return {name, view, as_bshd(view, layout, name)};
}

void check_same(const Named& a, const Named& b, int axis) {
  static constexpr const char* kAxes[] = {"sequences", "tokens", "heads", "channels in a head"};
  if (a.bshd.shape[axis] == b.bshd.shape[axis]) return;
  fail(fmt::format("{} has shape {} but {} has {}: {} and {} {}", a.name, to_string(a.view.shape),
                   b.name, to_string(b.view.shape), a.bshd.shape[axis], b.bshd.shape[axis],
                   kAxes[axis]));
}

void check_heads(const Named& q, const Named& k) {
  const int64_t heads = q.bshd.shape[2], kv_heads = k.bshd.shape[2];
  if (heads == 0 || (kv_heads > 0 && heads % kv_heads == 0)) return;
  fail(fmt::format(
      "q has shape {} but k has {}: {} heads of q are not a multiple of {} heads of k and v",
      to_string(q.view.shape), to_string(k.view.shape), heads, kv_heads));
}

float scale_of(const AttentionOptions& options, int64_t head_dim) {
  if (!std::isfinite(static_cast<float>(options.scale))) {
    fail(fmt::format("scale: expected a finite number, found {}", options.scale));
  }
  if (options.scale != 0) return static_cast<float>(options.scale);
  return static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim)));
}

}  // namespace

AttentionCall checked_call(const ConstTensorView& q, const ConstTensorView& k,
                           const ConstTensorView* v, const AttentionOptions& options) {
  const Named nq = named("q", q, options.tensor_layout), nk = named("k", k, options.tensor_layout);
  check_same(nq, nk, 0);
  check_same(nq, nk, 3);
  check_heads(nq, nk);
  if (nq.bshd.shape[3] == 0) {
    fail(
        fmt::format("q: expected heads of at least 1 channel, found shape {}", to_string(q.shape)));
  }
  AttentionCall call;
  if (v != nullptr) {
    const Named nv = named("v", *v, options.tensor_layout);
    for (int axis : {0, 1, 2}) check_same(nk, nv, axis);
    call.v = nv.bshd;
  }
  call.q = nq.bshd;
  call.k = nk.bshd;
  call.batch = nq.bshd.shape[0];
  call.queries = nq.bshd.shape[1];
  call.keys = nk.bshd.shape[1];
  call.heads = nq.bshd.shape[2];
  call.kv_heads = nk.bshd.shape[2];
  call.scale = scale_of(options, nq.bshd.shape[3]);
  check_attention_options(call, options);
  call.options = options;
  call.sequences = attention_sequences(call);
  const size_t count = call.sequences.size();
  call.prefix.assign(options.prefix.begin(), options.prefix.end());
  if (call.prefix.size() == 1) call.prefix.assign(count, call.prefix[0]);
  if (!call.prefix.empty() && call.prefix.size() != count) {
    fail(fmt::format("prefix: expected one for each of {} sequences, found {}", count,
                     call.prefix.size()));
  }
  return call;
}

void check_attention_output(const TensorView& out, const char* what, const Dims& expected,
                            const ConstTensorView& q, const ConstTensorView& k,
                            const ConstTensorView* v, const AttentionOptions& options) {
  check_view(out, what);
  if (out.dtype != DType::f32) {
    fail(fmt::format("{}: expected dtype f32, found {}", what, name(out.dtype)),
         ErrorCode::unsupported);
  }
  if (!(out.shape == expected)) {
    fail(fmt::format("{}: expected shape {} for q {} and k {}{}, found {}", what,
                     to_string(expected), to_string(q.shape), to_string(k.shape),
                     v == nullptr ? "" : " and v " + to_string(v->shape), to_string(out.shape)));
  }
  if (may_alias_itself(out)) {
    fail(fmt::format("{}: strides {} name one address twice", what, to_string(out.strides)));
  }
  if (may_overlap(out, q)) fail(fmt::format("{}: overlaps q", what));
  if (may_overlap(out, k)) fail(fmt::format("{}: overlaps k", what));
  if (v != nullptr && may_overlap(out, *v)) fail(fmt::format("{}: overlaps v", what));
  if (is_given(options.key_mask) && may_overlap(out, options.key_mask)) {
    fail(fmt::format("{}: overlaps key_mask", what));
  }
  if (is_given(options.mask) && may_overlap(out, options.mask)) {
    fail(fmt::format("{}: overlaps mask", what));
  }
}

}  // namespace ropewalk
