#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/base/half.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk::testing {

inline std::span<float> numbers(Tensor& tensor) {
  return {reinterpret_cast<float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

// Tokens [first, first + count) of a view [B, S, ...].
template <typename View>
View tokens_of(View view, int64_t first, int64_t count) {
  const int64_t bytes = first * view.strides[1] * static_cast<int64_t>(size_in_bytes(view.dtype));
  if constexpr (std::is_same_v<View, TensorView>) {
    view.data = static_cast<char*>(view.data) + bytes;
  } else {
    view.data = static_cast<const char*>(view.data) + bytes;
  }
  view.shape[1] = count;
  return view;
}

// Tokens order[0], order[1], ... of a float32 tensor [B, S, ...].
inline Tensor reordered(const Tensor& tensor, const std::vector<int64_t>& order) {
  Dims shape = tensor.shape;
  shape[1] = static_cast<int64_t>(order.size());
  Tensor result = make_tensor(tensor.dtype, shape);
  const int64_t batch = shape[0], length = tensor.shape[1];
  if (num_elements(shape) == 0) return result;
  const auto row = static_cast<int64_t>(tensor.bytes.size()) / (batch * length);
  std::byte* to = result.bytes.data();
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t from : order) {
      std::memcpy(to, tensor.bytes.data() + (b * length + from) * row, static_cast<size_t>(row));
      to += row;
    }
  }
  return result;
}

// A copy of a tensor in a larger memory, its dimensions laid out in the order of `axes` (the last
// one fastest), two numbers between neighbours.
struct Strided {
  std::vector<float> memory;
  TensorView view;

  Strided(const Tensor& tensor, const Dims& axes) {
    view = {nullptr, DType::f32, tensor.shape, tensor.shape};
    int64_t step = 2;
    for (int i = axes.size() - 1; i >= 0; --i) {
      const int axis = static_cast<int>(axes[i]);
      view.strides[axis] = step;
      step *= tensor.shape[axis];
    }
    memory.assign(static_cast<size_t>(step), std::numeric_limits<float>::quiet_NaN());
    view.data = memory.data();
    const auto values = floats(tensor);
    for (int64_t i = 0; i < num_elements(tensor.shape); ++i) {
      int64_t at = 0, rest = i;
      for (int axis = tensor.shape.size() - 1; axis >= 0; --axis) {
        at += rest % tensor.shape[axis] * view.strides[axis];
        rest /= tensor.shape[axis];
      }
      memory[static_cast<size_t>(at)] = values[static_cast<size_t>(i)];
    }
  }
};

// Whether query i of Sq sees key j of Sk.
inline bool sees(const AttentionOptions& options, int64_t sequence, int64_t i, int64_t j,
                 int64_t offset) {
  if (options.causal && j > i + offset) return false;
  const ConstTensorView& mask = options.key_mask;
  return mask.data == nullptr ||
         static_cast<const unsigned char*>(
             mask.data)[sequence * mask.strides[0] + j * mask.strides[1]] != 0;
}

// The definition in float64, for contiguous [B, S, H, D].
inline std::vector<double> exact_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                           const AttentionOptions& options) {
  const int64_t batch = q.shape[0], queries = q.shape[1], heads = q.shape[2], dim = q.shape[3],
                keys = k.shape[1], kv_heads = k.shape[2], width = v.shape[3];
  const auto qs = floats(q), ks = floats(k), vs = floats(v);
  const double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(dim));
  std::vector<double> out;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < queries; ++i) {
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t kv = h / (heads / kv_heads);
        std::vector<double> scores, sum(static_cast<size_t>(width));
        double largest = -std::numeric_limits<double>::infinity(), total = 0;
        for (int64_t j = 0; j < keys; ++j) {
          double dot = 0;
          for (int64_t c = 0; c < dim; ++c) {
            dot += static_cast<double>(
                       qs[static_cast<size_t>(((b * queries + i) * heads + h) * dim + c)]) *
                   ks[static_cast<size_t>(((b * keys + j) * kv_heads + kv) * dim + c)];
          }
          const double slope =
              options.alibi_slopes.empty() ? 0 : options.alibi_slopes[static_cast<size_t>(h)];
          scores.push_back(dot * scale + slope * static_cast<double>(j - (i + keys - queries)));
          if (sees(options, b, i, j, keys - queries)) largest = std::max(largest, scores.back());
        }
        for (int64_t j = 0; j < keys; ++j) {
          if (!sees(options, b, i, j, keys - queries)) continue;
          const double weight = std::exp(scores[static_cast<size_t>(j)] - largest);
          total += weight;
          for (int64_t c = 0; c < width; ++c) {
            sum[static_cast<size_t>(c)] +=
                weight * vs[static_cast<size_t>(((b * keys + j) * kv_heads + kv) * width + c)];
          }
        }
        for (double value : sum) out.push_back(total == 0 ? 0 : value / total);
      }
    }
  }
  return out;
}

// attend into a new contiguous tensor [B, Sq, H, Dv].
inline Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v,
                       const AttentionOptions& options = {}) {
  Tensor out = make_tensor(DType::f32, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]});
  attend(q.view(), k.view(), v.view(), out.view(), options);
  return out;
}

}  // namespace ropewalk::testing
