#include "ropewalk/attention/layer_checks.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/attention/heads.h"
#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/overlap.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

void check_f32(const ConstTensorView& view, const char* what) {
  check_view(view, what);
  if (view.dtype != DType::f32) {
    fail(fmt::format("{}: expected dtype f32, found {}", what, name(view.dtype)),
         ErrorCode::unsupported);
  }
}

int64_t width(int64_t heads, int64_t head_dim) {
  const auto product = checked_mul(heads, head_dim);
  if (!product) fail(fmt::format("{} heads of {} channels are too many", heads, head_dim));
  return *product;
}

// A weight, the shape that it must have, and that shape in words.
struct Expected {
  const ConstTensorView* view;
  const char* what;
  Dims shape;
  const char* meaning;
  bool required = true;
};

std::vector<Expected> expected_weights(const SelfAttention& self, int64_t hidden) {
  const Layer& layer = self.layer;
  const LatentProjections& latent = layer.attention.latent;
  const AttentionWeights& w = self.weights;
  const int64_t q = width(layer.heads, layer.head_dim), out = width(layer.heads, layer.value_dim);
  std::vector<Expected> list = {{&w.wo, "wo", {hidden, out}, "[hidden, heads * value_dim]"},
                                {&w.bo, "bo", {hidden}, "[hidden]", false},
                                {&w.bq, "bq", {q}, "[heads * head_dim]", false}};
  if (latent.kv_rank == 0) {
    const int64_t k = width(layer.kv_heads, layer.head_dim),
                  v = width(layer.kv_heads, layer.value_dim);
    list.push_back({&w.wq, "wq", {q, hidden}, "[heads * head_dim, hidden]"});
    list.push_back({&w.wk, "wk", {k, hidden}, "[kv_heads * head_dim, hidden]"});
    if (!layer.attention.value_is_key) {
      list.push_back({&w.wv, "wv", {v, hidden}, "[kv_heads * value_dim, hidden]"});
    }
    list.push_back({&w.bk, "bk", {k}, "[kv_heads * head_dim]", false});
    list.push_back({&w.bv, "bv", {v}, "[kv_heads * value_dim]", false});
  } else {
    const int64_t rope = latent.shared_dim, rank = latent.kv_rank;
    const int64_t up = width(layer.heads, layer.head_dim - rope + layer.value_dim);
    const int64_t from = latent.q_rank == 0 ? hidden : latent.q_rank;
    list.push_back({&w.wq, "wq", {q, from}, "[heads * head_dim, q_rank or hidden]"});
    list.push_back({&w.wkv_a, "wkv_a", {rank + rope, hidden}, "[kv_rank + rope_dim, hidden]"});
    list.push_back({&w.bkv_a, "bkv_a", {rank + rope}, "[kv_rank + rope_dim]", false});
    list.push_back({&w.kv_a_norm, "kv_a_norm", {rank}, "[kv_rank]"});
    list.push_back({&w.wkv_b, "wkv_b", {up, rank}, "[heads * (nope_dim + value_dim), kv_rank]"});
    if (latent.q_rank > 0) {
      list.push_back({&w.wq_a, "wq_a", {latent.q_rank, hidden}, "[q_rank, hidden]"});
      list.push_back({&w.bq_a, "bq_a", {latent.q_rank}, "[q_rank]", false});
      list.push_back({&w.q_a_norm, "q_a_norm", {latent.q_rank}, "[q_rank]"});
    }
  }
  if (const auto* bias = std::get_if<BucketBiasConfig>(&layer.positions)) {
    list.push_back(
        {&w.bucket_bias, "bucket_bias", {bias->buckets, bias->heads}, "[buckets, heads]"});
  }
  if (layer.attention.sinks) list.push_back({&w.sinks, "sinks", {layer.heads}, "[heads]"});
  if (layer.attention.output_gate != OutputGate::none) {
    const bool by_head = layer.attention.output_gate == OutputGate::per_head;
    const int64_t gates = by_head ? layer.heads : out;
    list.push_back({&w.w_gate, "w_gate", {gates, hidden}, "[heads or heads * value_dim, hidden]"});
    list.push_back({&w.b_gate, "b_gate", {gates}, "[heads or heads * value_dim]", false});
  }
  return list;
}

void check_weights(const SelfAttention& self, const ConstTensorView& x) {
  for (const Expected& weight : expected_weights(self, x.shape[2])) {
    if (!weight.required && !is_present(*weight.view)) continue;
    check_f32(*weight.view, weight.what);
    if (weight.view->shape == weight.shape) continue;
    fail(fmt::format("{}: expected shape {} = {} for x of shape {}, found {}", weight.what,
                     weight.meaning, to_string(weight.shape), to_string(x.shape),
                     to_string(weight.view->shape)));
  }
}

void check_output(const SelfAttention& self, const ConstTensorView& x, const TensorView& y) {
  check_f32(y, "y");
  if (!(y.shape == x.shape)) {
    fail(
        fmt::format("y: expected shape {} as x, found {}", to_string(x.shape), to_string(y.shape)));
  }
  if (may_alias_itself(y)) {
    fail(fmt::format("y: strides {} name one address twice", to_string(y.strides)));
  }
  if (may_overlap(y, x)) fail("y: overlaps x");
  for (const Expected& weight : expected_weights(self, x.shape[2])) {
    if (is_present(*weight.view) && may_overlap(y, *weight.view)) {
      fail(fmt::format("y: overlaps {}", weight.what));
    }
  }
}

}  // namespace

void check_layer(const SelfAttention& self, const ConstTensorView& x, const TensorView& y) {
  const Layer& layer = self.layer;
  check_f32(x, "x");
  if (x.shape.size() != 3) {
    fail(fmt::format("x: expected [batch, seq, hidden], found {}", to_string(x.shape)));
  }
  if (layer.heads < 1 || layer.kv_heads < 1 || layer.head_dim < 1 || layer.value_dim < 1 ||
      layer.heads % layer.kv_heads != 0) {
    fail(
        fmt::format("layer: expected heads as a multiple of kv_heads, and at least 1 of each, "
                    "found heads {}, kv_heads {}, head_dim {}, value_dim {}",
                    layer.heads, layer.kv_heads, layer.head_dim, layer.value_dim));
  }
  check_computed(layer);
  check_weights(self, x);
  check_output(self, x, y);
}

}  // namespace ropewalk
