#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/base/half.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk::testing {

// Attention by its definition, in float64, with everything that AttentionOptions say but rotation
// and sequence_starts. Contiguous bshd.
struct ExactAttention {
  const Tensor& q;
  const Tensor& k;
  const AttentionOptions& o;

  int64_t query_token(int64_t i) const {
    if (!o.query_tokens.empty()) return o.query_tokens[static_cast<size_t>(i)];
    return o.first_query.value_or(k.shape[1] - q.shape[1]) + i;
  }
  int64_t key_token(int64_t j) const {
    return o.key_tokens.empty() ? j : o.key_tokens[static_cast<size_t>(j)];
  }
  bool is_key(int64_t b, int64_t j) const {
    if (!o.key_lengths.empty() && j >= o.key_lengths[static_cast<size_t>(b)]) return false;
    const ConstTensorView& mask = o.key_mask;
    return mask.data == nullptr || static_cast<const unsigned char*>(
                                       mask.data)[b * mask.strides[0] + j * mask.strides[1]] != 0;
  }
  // Of token order: those before it that are keys.
  int64_t rank(int64_t b, int64_t j) const {
    int64_t before = 0;
    for (int64_t n = 0; n < k.shape[1]; ++n) {
      before += is_key(b, n) && key_token(n) < key_token(j) ? 1 : 0;
    }
    return before;
  }
  bool sees(int64_t b, int64_t i, int64_t j) const {
    const int64_t query = query_token(i), key = key_token(j);
    if (!is_key(b, j)) return false;
    const bool in_prefix =
        !o.prefix.empty() && key < o.prefix[o.prefix.size() == 1 ? 0 : static_cast<size_t>(b)];
    if (o.causal && key > query && !in_prefix) return false;
    if (o.window_left >= 0 && query - key > o.window_left) return false;
    return o.window_right < 0 || key - query <= o.window_right;
  }
  // -infinity where the mask hides.
  double masked(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const ConstTensorView& mask = o.mask;
    if (mask.data == nullptr) return 0;
    const int64_t at = (mask.shape[0] == 1 ? 0 : b * mask.strides[0]) +
                       (mask.shape[1] == 1 ? 0 : h * mask.strides[1]) + i * mask.strides[2] +
                       j * mask.strides[3];
    if (mask.dtype == DType::f32) return static_cast<const float*>(mask.data)[at];
    return static_cast<const unsigned char*>(mask.data)[at] != 0
               ? 0
               : -std::numeric_limits<double>::infinity();
  }
  double bias(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const double distance = static_cast<double>(key_token(j) - query_token(i));
    double result = masked(b, h, i, j);
    if (!o.alibi_slopes.empty()) {
      const double factor = o.alibi_form == AlibiForm::relative ? distance
                            : o.alibi_form == AlibiForm::symmetric
                                ? -std::abs(distance)
                                : static_cast<double>(rank(b, j));
      result += o.alibi_slopes[static_cast<size_t>(h)] * factor * o.alibi_scale;
    }
    if (!o.distance_bias.empty()) {
      const auto reach = static_cast<double>(o.bias_reach);
      const auto at = static_cast<int64_t>(std::clamp(distance, -reach, reach)) + o.bias_reach;
      result += o.distance_bias[static_cast<size_t>(h * (2 * o.bias_reach + 1) + at)];
    }
    return result;
  }

  struct Result {
    std::vector<double> out;  // [B, Sq, H, Dv]
    std::vector<double> lse;  // [B, H, Sq]
  };
  Result run(const Tensor& v) const {
    const int64_t heads = q.shape[2], dim = q.shape[3], kv_heads = k.shape[2], width = v.shape[3];
    const auto qs = floats(q), ks = floats(k), vs = floats(v);
    const double scale = o.scale != 0 ? o.scale : 1 / std::sqrt(static_cast<double>(dim));
    const auto at = [](const Dims& shape, int64_t b, int64_t s, int64_t h) {
      return static_cast<size_t>(((b * shape[1] + s) * shape[2] + h) * shape[3]);
    };
    Result result;
    result.out.resize(static_cast<size_t>(q.shape[0] * q.shape[1] * heads * width));
    for (int64_t b = 0; b < q.shape[0]; ++b) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t i = 0; i < q.shape[1]; ++i) {
          const int64_t kv = h / (heads / kv_heads);
          double* out = result.out.data() + at({q.shape[0], q.shape[1], heads, width}, b, i, h);
          double total = 0, largest = -std::numeric_limits<double>::infinity();
          std::vector<double> scores(static_cast<size_t>(k.shape[1]), largest);
          for (int64_t j = 0; j < k.shape[1]; ++j) {
            if (!sees(b, i, j)) continue;
            double dot = 0;
            for (int64_t c = 0; c < dim; ++c) {
              dot += static_cast<double>(qs[at(q.shape, b, i, h) + static_cast<size_t>(c)]) *
                     ks[at(k.shape, b, j, kv) + static_cast<size_t>(c)];
            }
            double score = dot * scale;
            if (o.softcap > 0) score = o.softcap * std::tanh(score / o.softcap);
            scores[static_cast<size_t>(j)] = score + bias(b, h, i, j);
            largest = std::max(largest, scores[static_cast<size_t>(j)]);
          }
          const bool none = std::isinf(largest);
          if (!o.sinks.empty() && !none) {
            const double sink = o.sinks[static_cast<size_t>(h)];
            largest = std::max(largest, sink);
            total = std::exp(sink - largest);
          }
          for (int64_t j = 0; j < k.shape[1] && !none; ++j) {
            const double weight = std::exp(scores[static_cast<size_t>(j)] - largest);
            total += weight;
            for (int64_t c = 0; c < width && weight > 0; ++c) {
              out[c] += weight * vs[at(v.shape, b, j, kv) + static_cast<size_t>(c)];
            }
          }
          for (int64_t c = 0; c < width; ++c) out[c] = none ? 0 : out[c] / total;
          result.lse.push_back(none ? -std::numeric_limits<double>::infinity()
                                    : largest + std::log(total));
        }
      }
    }
    return result;
  }
};

}  // namespace ropewalk::testing
