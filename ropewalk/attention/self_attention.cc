#include "ropewalk/attention/self_attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <variant>
#include <vector>

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/attention/attention_call.h"
#include "ropewalk/attention/heads.h"
#include "ropewalk/attention/layer_checks.h"
#include "ropewalk/attention/linear.h"
#include "ropewalk/attention/prepare_heads.h"
#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk {
namespace {

// Float32 numbers [batch, seq, heads, channels] that own their memory.
struct Heads {
  std::vector<float> numbers;
  Dims shape;

  TensorView view() { return make_view(static_cast<void*>(numbers.data()), DType::f32, shape); }
};

Heads make_heads(const Dims& tokens, int64_t heads, int64_t channels,
                 std::vector<float> numbers = {}) {
  const Dims shape{tokens[0], tokens[1], heads, channels};
  if (numbers.empty()) numbers.resize(static_cast<size_t>(num_elements(shape)));
  return {std::move(numbers), shape};
}

// Channels [from, from + count) of each head of `source` to the channels from `to` on; a source of
// one head goes to all.
void copy_channels(const Heads& source, int64_t from, int64_t count, Heads& target, int64_t to) {
  const int64_t tokens = source.shape[0] * source.shape[1], heads = target.shape[2];
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t of = source.shape[2] == 1 ? 0 : h;
      const float* in = source.numbers.data() + (t * source.shape[2] + of) * source.shape[3] + from;
      std::copy(in, in + count, target.numbers.data() + (t * heads + h) * target.shape[3] + to);
    }
  }
}

struct Projected {
  Heads q, k, v;
};

Projected project(const SelfAttention& self, const BlasMatrix& x, const Dims& tokens,
                  const Parallel& parallel) {
  const Layer& layer = self.layer;
  const AttentionWeights& w = self.weights;
  Projected heads{
      make_heads(tokens, layer.heads, layer.head_dim, linear(x, w.wq, w.bq, parallel)),
      make_heads(tokens, layer.kv_heads, layer.head_dim, linear(x, w.wk, w.bk, parallel)),
      {}};
  heads.v = layer.attention.value_is_key ? heads.k
                                         : make_heads(tokens, layer.kv_heads, layer.value_dim,
                                                      linear(x, w.wv, w.bv, parallel));
  return heads;
}

ConstTensorView matrix(const Heads& heads) {
  return make_view(static_cast<const void*>(heads.numbers.data()), DType::f32,
                   {heads.shape[0] * heads.shape[1], heads.shape[2] * heads.shape[3]});
}

// q and k of [what passes | what turns]; the latent vectors are normed over all their channels.
Projected project_latent(const SelfAttention& self, const BlasMatrix& x, const Dims& tokens,
                         const Parallel& parallel) {
  const Layer& layer = self.layer;
  const AttentionWeights& w = self.weights;
  const LatentProjections& latent = layer.attention.latent;
  const Norm norm{.kind = NormKind::rms, .eps = latent.eps};
  const int64_t rope = latent.shared_dim, nope = layer.head_dim - rope;
  Heads q;
  if (latent.q_rank == 0) {
    q = make_heads(tokens, layer.heads, layer.head_dim, linear(x, w.wq, w.bq, parallel));
  } else {
    Heads low = make_heads(tokens, 1, latent.q_rank, linear(x, w.wq_a, w.bq_a, parallel));
    normalize(norm, low.view(), w.q_a_norm, {}, "q_a_norm");
    q = make_heads(tokens, layer.heads, layer.head_dim,
                   linear(blas_matrix(matrix(low)), w.wq, w.bq, parallel));
    multiply(latent.q_scale, q.view());
  }
  const Heads down =
      make_heads(tokens, 1, latent.kv_rank + rope, linear(x, w.wkv_a, w.bkv_a, parallel));
  Heads low = make_heads(tokens, 1, latent.kv_rank);
  copy_channels(down, 0, latent.kv_rank, low, 0);
  normalize(norm, low.view(), w.kv_a_norm, {}, "kv_a_norm");
  multiply(latent.kv_scale, low.view());
  const Heads up = make_heads(tokens, layer.heads, nope + layer.value_dim,
                              linear(blas_matrix(matrix(low)), w.wkv_b, {}, parallel));
  Heads k = make_heads(tokens, layer.heads, layer.head_dim),
        v = make_heads(tokens, layer.heads, layer.value_dim);
  copy_channels(up, 0, nope, k, 0);
  copy_channels(down, latent.kv_rank, rope, k, nope);
  copy_channels(up, nope, layer.value_dim, v, 0);
  return {std::move(q), std::move(k), std::move(v)};
}

// Step 2.
void turn(const SelfAttention& self, const PositionIds& positions, const RopeRows& rows,
          Projected& heads, const Parallel& parallel) {
  const AttentionWeights& w = self.weights;
  const ProjectedHeads views{heads.q.view(), heads.k.view(), heads.v.view()};
  const HeadNorms norms{.q_norm = w.q_norm,
                        .k_norm = w.k_norm,
                        .q_norm_bias = w.q_norm_bias,
                        .k_norm_bias = w.k_norm_bias};
  before_rotation(self.layer, norms, views);
  if (const auto* rope = std::get_if<RopeConfig>(&self.layer.positions)) {
    // Where the pairs are written is no matter: q and k agree, and their product is all that
    // counts.
    apply_rope(rows, rope->layout, in_place(views.q), in_place(views.k), {.parallel = parallel});
  }
  after_rotation(self.layer, norms, positions, views);
}

// What the heads gave, normed and gated.
void finish_heads(const SelfAttention& self, const BlasMatrix& x, const Parallel& parallel,
                  Heads& mixed) {
  const AttentionConfig& config = self.layer.attention;
  normalize(config.output_norm, mixed.view(), self.weights.output_norm, {}, "output_norm");
  if (config.output_gate == OutputGate::none) return;
  const std::vector<float> gates = linear(x, self.weights.w_gate, self.weights.b_gate, parallel);
  const size_t each = mixed.numbers.size() / gates.size();  // channels that share a gate
  for (size_t i = 0; i < mixed.numbers.size(); ++i) {
    mixed.numbers[i] /= 1 + std::exp(-gates[i / each]);
  }
}

// Row-major numbers into a view [batch, seq, hidden] of any strides and alignment.
void store(const std::vector<float>& numbers, const TensorView& y) {
  const float* from = numbers.data();
  for (int64_t b = 0; b < y.shape[0]; ++b) {
    for (int64_t s = 0; s < y.shape[1]; ++s) {
      for (int64_t c = 0; c < y.shape[2]; ++c, ++from) {
        const int64_t at = b * y.strides[0] + s * y.strides[1] + c * y.strides[2];
        std::memcpy(static_cast<char*>(y.data) + at * static_cast<int64_t>(sizeof(float)), from,
                    sizeof(float));
      }
    }
  }
}

std::span<const float> sinks_of(const ConstTensorView& sinks, Tensor& copy) {
  if (!is_present(sinks)) return {};
  copy = contiguous_copy(sinks);
  return {reinterpret_cast<const float*>(copy.bytes.data()),
          static_cast<size_t>(num_elements(sinks.shape))};
}

void run(const SelfAttention& self, const ConstTensorView& x, const PositionIds& positions,
         const RopeRows& rows, const TensorView& y, const SelfAttentionOptions& options) {
  const Layer& layer = self.layer;
  Tensor sink_copy;
  LayerScores scores = scores_of(layer, {.sinks = sinks_of(self.weights.sinks, sink_copy),
                                         .bucket_bias = self.weights.bucket_bias});
  const BlasMatrix tokens = blas_tokens(x);
  Projected heads = layer.attention.latent.kv_rank > 0
                        ? project_latent(self, tokens, x.shape, options.parallel)
                        : project(self, tokens, x.shape, options.parallel);
  turn(self, positions, rows, heads, options.parallel);
  scores.options.key_mask = options.key_mask;
  scores.options.parallel = options.parallel;
  if (layer.attention.mask == Mask::prefix) scores.options.prefix = options.prefix;
  Heads mixed = make_heads(x.shape, layer.heads, layer.value_dim);
  attend(heads.q.view(), heads.k.view(), heads.v.view(), mixed.view(), scores.options);
  finish_heads(self, tokens, options.parallel, mixed);
  store(linear(blas_matrix(matrix(mixed)), self.weights.wo, self.weights.bo, options.parallel), y);
}

}  // namespace

AttentionWeights views_of(const LayerWeights& weights) {
  const auto view = [](const std::optional<Tensor>& tensor) {
    return tensor ? tensor->view() : ConstTensorView{};
  };
  const LayerWeights& w = weights;
  return {.wq = view(w.wq),
          .wk = view(w.wk),
          .wv = view(w.wv),
          .wo = view(w.wo),
          .bq = view(w.bq),
          .bk = view(w.bk),
          .bv = view(w.bv),
          .bo = view(w.bo),
          .q_norm = view(w.q_norm),
          .k_norm = view(w.k_norm),
          .q_norm_bias = view(w.q_norm_bias),
          .k_norm_bias = view(w.k_norm_bias),
          .output_norm = view(w.output_norm),
          .sinks = view(w.sinks),
          .bucket_bias = view(w.bucket_bias),
          .w_gate = view(w.w_gate),
          .b_gate = view(w.b_gate),
          .wq_a = view(w.wq_a),
          .bq_a = view(w.bq_a),
          .q_a_norm = view(w.q_a_norm),
          .wkv_a = view(w.wkv_a),
          .bkv_a = view(w.bkv_a),
          .kv_a_norm = view(w.kv_a_norm),
          .wkv_b = view(w.wkv_b)};
}

RopeRows step_rows(const PositionEncoding& encoding, const PositionIds& positions, int64_t batch,
                   int64_t length, const Parallel& parallel) {
  const auto* rope = std::get_if<RopeConfig>(&encoding);
  if (rope == nullptr) return {};
  return make_rope_rows_by_length(*rope, positions, batch, length, parallel);
}

void forward(const SelfAttention& self, const ConstTensorView& x, const PositionIds& positions,
             const RopeRows& rows, const TensorView& y, const SelfAttentionOptions& options) {
  check_layer(self, x, y);
  within_memory("forward", [&] { run(self, x, positions, rows, y, options); });
}

void forward(const SelfAttention& self, const ConstTensorView& x, const PositionIds& positions,
             const TensorView& y, const SelfAttentionOptions& options) {
  check_layer(self, x, y);
  within_memory("forward", [&] {
    const RopeRows rows =
        step_rows(self.layer.positions, positions, x.shape[0], x.shape[1], options.parallel);
    run(self, x, positions, rows, y, options);
  });
}

}  // namespace ropewalk
