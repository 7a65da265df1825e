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

AttentionOperand operand(const Named& x) {
  AttentionOperand result{x.bshd, {}};
  const bool aligned = reinterpret_cast<uintptr_t>(x.bshd.data) % alignof(float) == 0;
  if (x.bshd.dtype == DType::f32 && aligned) return result;
  result.copy =
      x.bshd.dtype == DType::f32 ? contiguous_copy(x.bshd) : converted(x.bshd, DType::f32);
  result.view = std::as_const(result.copy).view();
  return result;
}

bool has_mask(const AttentionOptions& options) {
  return options.key_mask.data != nullptr || !options.key_mask.shape.empty();
}

void check_mask(const ConstTensorView& mask, const Named& k) {
  check_view(mask, "key_mask");
  switch (mask.dtype) {
    case DType::boolean:
    case DType::u8:
    case DType::i32:
    case DType::i64:
      break;
    default:
      fail(fmt::format("key_mask: expected dtype bool, u8, i32 or i64, found {}", name(mask.dtype)),
           ErrorCode::unsupported);
  }
  const Dims expected{k.bshd.shape[0], k.bshd.shape[1]};
  if (!(mask.shape == expected)) {
    fail(fmt::format("key_mask: expected shape [batch, keys] = {} as k of shape {}, found {}",
                     to_string(expected), to_string(k.view.shape), to_string(mask.shape)));
  }
}

template <typename T>
std::vector<std::vector<int64_t>> visible_keys_as(const ConstTensorView& mask) {
  std::vector<std::vector<int64_t>> visible(static_cast<size_t>(mask.shape[0]));
  const auto* bytes = static_cast<const char*>(mask.data);
  for (int64_t b = 0; b < mask.shape[0]; ++b) {
    for (int64_t j = 0; j < mask.shape[1]; ++j) {
      T value;
      std::memcpy(&value, bytes + (b * mask.strides[0] + j * mask.strides[1]) * int64_t{sizeof(T)},
                  sizeof(T));
      if (value == 1) visible[static_cast<size_t>(b)].push_back(j);
      if (value == 0 || value == 1) continue;
      fail(fmt::format("key_mask[{}, {}]: expected 0 or 1, found {}", b, j,
                       static_cast<int64_t>(value)));
    }
  }
  return visible;
}

std::vector<std::vector<int64_t>> visible_keys(const ConstTensorView& mask) {
  if (mask.dtype == DType::i64) return visible_keys_as<int64_t>(mask);
  if (mask.dtype == DType::i32) return visible_keys_as<int32_t>(mask);
  return visible_keys_as<uint8_t>(mask);
}

void check_numbers(const AttentionOptions& options) {
  const std::pair<const char*, int64_t> counts[] = {{"window_left", options.window_left + 1},
                                                    {"window_right", options.window_right + 1},
                                                    {"chunk", options.chunk}};
  constexpr int64_t kMost = int64_t{1} << 53;
  for (const auto& [what, count] : counts) {
    if (count >= 0 && count <= kMost) continue;
    fail(fmt::format("{}: expected a number of keys below 2^53, found {}", what, count));
  }
  if (!(options.softcap >= 0) || !std::isfinite(static_cast<float>(options.softcap))) {
    fail(fmt::format("softcap: expected a number of at least 0, found {}", options.softcap));
  }
  if (!std::isfinite(static_cast<float>(options.alibi_scale))) {
    fail(fmt::format("alibi_scale: expected a finite number, found {}", options.alibi_scale));
  }
}

void check_distance_bias(const AttentionOptions& options, int64_t heads) {
  if (options.distance_bias.empty()) return;
  if (options.bias_reach < 0 || options.bias_reach > int64_t{1} << 24) {
    fail(fmt::format("bias_reach: expected 0..2^24 tokens, found {}", options.bias_reach));
  }
  const int64_t columns = 2 * options.bias_reach + 1;
  if (std::ssize(options.distance_bias) == heads * columns) return;
  fail(fmt::format("distance_bias: expected {} heads of {} numbers, found {} numbers", heads,
                   columns, options.distance_bias.size()));
}

float scale_of(const AttentionOptions& options, int64_t head_dim) {
  if (!std::isfinite(static_cast<float>(options.scale))) {
    fail(fmt::format("scale: expected a finite number, found {}", options.scale));
  }
  if (options.scale != 0) return static_cast<float>(options.scale);
  return static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim)));
}

}  // namespace

AttentionCall::Seen AttentionCall::seen(int64_t sequence, int64_t query) const {
  const int64_t token = query + (keys - queries);
  const std::vector<int64_t>* list =
      visible.empty() ? nullptr : &visible[static_cast<size_t>(sequence)];
  int64_t begin = 0, end = keys;
  if (options.causal) end = std::clamp<int64_t>(token + 1, 0, keys);
  if (!prefix.empty()) end = std::clamp(prefix[static_cast<size_t>(sequence)], end, keys);
  if (options.window_right >= 0) end = std::min(end, token + options.window_right + 1);
  if (options.window_left >= 0) begin = std::max(begin, token - options.window_left);
  if (options.chunk > 0) {
    const int64_t start = list == nullptr || list->empty() ? 0 : list->front();
    const int64_t chunk =
        token < start ? token : start + (token - start) / options.chunk * options.chunk;
    begin = std::max(begin, chunk);
    end = std::min(end, chunk + options.chunk);
  }
  if (list != nullptr) {
    begin = std::lower_bound(list->begin(), list->end(), begin) - list->begin();
    end = std::lower_bound(list->begin(), list->end(), end) - list->begin();
  }
  end = std::max<int64_t>(end, 0);
  return {std::min(begin, end), end};
}

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
    call.v = operand(nv);
  }
  call.batch = nq.bshd.shape[0];
  call.queries = nq.bshd.shape[1];
  call.keys = nk.bshd.shape[1];
  call.heads = nq.bshd.shape[2];
  call.kv_heads = nk.bshd.shape[2];
  if (!options.alibi_slopes.empty() &&
      static_cast<int64_t>(options.alibi_slopes.size()) != call.heads) {
    fail(fmt::format("alibi_slopes: expected one for each of the {} heads of q {}, found {}",
                     call.heads, to_string(q.shape), options.alibi_slopes.size()));
  }
  if (!options.sinks.empty() && static_cast<int64_t>(options.sinks.size()) != call.heads) {
    fail(fmt::format("sinks: expected one for each of the {} heads of q {}, found {}", call.heads,
                     to_string(q.shape), options.sinks.size()));
  }
  check_distance_bias(options, call.heads);
  check_numbers(options);
  call.options = options;
  call.prefix.assign(options.prefix.begin(), options.prefix.end());
  if (call.prefix.size() == 1) call.prefix.assign(static_cast<size_t>(call.batch), call.prefix[0]);
  if (!call.prefix.empty() && std::ssize(call.prefix) != call.batch) {
    fail(fmt::format("prefix: expected one for each of {} sequences, found {}", call.batch,
                     call.prefix.size()));
  }
  call.slopes.assign(options.alibi_slopes.begin(), options.alibi_slopes.end());
  call.sinks.assign(options.sinks.begin(), options.sinks.end());
  call.distance_bias.assign(options.distance_bias.begin(), options.distance_bias.end());
  call.scale = scale_of(options, nq.bshd.shape[3]);
  if (has_mask(options)) {
    check_mask(options.key_mask, nk);
    call.visible = visible_keys(options.key_mask);
  }
  call.q = operand(nq);
  call.k = operand(nk);
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
  if (has_mask(options) && may_overlap(out, options.key_mask)) {
    fail(fmt::format("{}: overlaps key_mask", what));
  }
}

AttentionRows head_rows(const ConstTensorView& bshd, int64_t sequence, int64_t head,
                        int64_t first) {
  const auto* data = static_cast<const float*>(bshd.data);
  if (data != nullptr) {
    data += sequence * bshd.strides[0] + first * bshd.strides[1] + head * bshd.strides[2];
  }
  return {data, bshd.strides[1], bshd.strides[3], bshd.shape[3], nullptr};
}

}  // namespace ropewalk
