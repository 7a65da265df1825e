#include "ropewalk/parallel/merge_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

constexpr double kNoKey = -std::numeric_limits<double>::infinity();

// Of two parts, the first a query's own.
struct Weights {
  double lse = kNoKey;
  float own = 1, other = 0;
};

Weights weights_of(double own, double other) {
  const double most = std::max(own, other);
  // Not a number: so is the result. Of +infinity too: attend says NaN of it.
  if (std::isnan(own) || std::isnan(other) || most > std::numeric_limits<float>::max()) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    return {kNan, kNan, kNan};
  }
  const double lse = most + std::log1p(std::exp(std::min(own, other) - most));
  return {lse, static_cast<float>(std::exp(own - lse)), static_cast<float>(std::exp(other - lse))};
}

float* row(const TensorView& out, int64_t token, int64_t head) {
  return static_cast<float*>(out.data) + token * out.strides[0] + head * out.strides[1];
}

float& lse_of(const TensorView& lse, int64_t token, int64_t head) {
  return static_cast<float*>(lse.data)[head * lse.strides[0] + token * lse.strides[1]];
}

void check(const AttentionParts& parts, const char* out, const char* lse) {
  check_view(parts.out, out);
  check_view(parts.lse, lse);
  const Dims& shape = parts.out.shape;
  const bool floats = parts.out.dtype == DType::f32 && parts.lse.dtype == DType::f32;
  if (floats && shape.size() == 3 && parts.lse.shape == Dims{shape[1], shape[0]}) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}, {}: expected f32 [tokens, heads, channels] and [heads, tokens], "
                          "found {} and {}",
                          out, lse, to_string(shape), to_string(parts.lse.shape)));
}

void merge_row(const AttentionParts& into, const AttentionParts& from, int64_t token,
               int64_t head) {
  float& lse = lse_of(into.lse, token, head);
  const double other = lse_of(from.lse, token, head);
  if (other == kNoKey) return;
  float* a = row(into.out, token, head);
  const float* b = row(from.out, token, head);
  const int64_t channels = into.out.shape[2], step = into.out.strides[2],
                from_step = from.out.strides[2];
  if (lse == kNoKey) {
    for (int64_t c = 0; c < channels; ++c) a[c * step] = b[c * from_step];
    lse = static_cast<float>(other);
    return;
  }
  const Weights w = weights_of(lse, other);
  lse = static_cast<float>(w.lse);
  if (step == 1 && from_step == 1) {
    for (int64_t c = 0; c < channels; ++c) a[c] = a[c] * w.own + b[c] * w.other;
  } else {
    for (int64_t c = 0; c < channels; ++c) {
      a[c * step] = a[c * step] * w.own + b[c * from_step] * w.other;
    }
  }
}

}  // namespace

void merge_attention(const AttentionParts& into, const AttentionParts& from,
                     const Parallel& parallel) {
  check(into, "out", "lse");
  check(from, "out of the other keys", "lse of the other keys");
  if (!(into.out.shape == from.out.shape)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("out of the other keys: expected {} as out, found {}",
                            to_string(into.out.shape), to_string(from.out.shape)));
  }
  const int64_t tokens = into.out.shape[0], heads = into.out.shape[1];
  constexpr int64_t kTokens = 64;  // of a task
  parallel_for(parallel, (tokens + kTokens - 1) / kTokens, [&](int64_t task) {
    for (int64_t i = task * kTokens; i < std::min(tokens, (task + 1) * kTokens); ++i) {
      for (int64_t h = 0; h < heads; ++h) merge_row(into, from, i, h);
    }
  });
}

void merge_sinks(const AttentionParts& into, std::span<const float> sinks) {
  check(into, "out", "lse");
  const Dims& shape = into.out.shape;
  if (std::ssize(sinks) != shape[1]) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("sinks: expected one for each of {} heads, found {}", shape[1], sinks.size()));
  }
  for (int64_t i = 0; i < shape[0]; ++i) {
    for (int64_t h = 0; h < shape[1]; ++h) {
      float& lse = lse_of(into.lse, i, h);
      const double sink = sinks[static_cast<size_t>(h)];
      if (lse == kNoKey || sink == kNoKey) continue;
      const Weights w = weights_of(lse, sink);
      lse = static_cast<float>(w.lse);
      float* out = row(into.out, i, h);
      for (int64_t c = 0; c < shape[2]; ++c) out[c * into.out.strides[2]] *= w.own;
    }
  }
}

}  // namespace ropewalk
