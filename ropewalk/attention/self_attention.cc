#include "ropewalk/attention/self_attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/attention/attention_call.h"
#include "ropewalk/attention/linear.h"
#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/overlap.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

void check_f32(const ConstTensorView& view, const char* what) {
  check_view(view, what);
  if (view.dtype != DType::f32) {
    fail(fmt::format("{}: dtype {} is not supported, expected f32", what, name(view.dtype)),
         ErrorCode::unsupported);
  }
}

void check_shape(const ConstTensorView& view, const char* what, const Dims& expected,
                 const char* meaning, const ConstTensorView& x) {
  check_f32(view, what);
  if (view.shape == expected) return;
  fail(fmt::format("{}: shape {}, expected {} = {} for x of shape {}", what, to_string(view.shape),
                   meaning, to_string(expected), to_string(x.shape)));
}

bool present(const ConstTensorView& bias) { return bias.data != nullptr || !bias.shape.empty(); }

int64_t width(int64_t heads, int64_t head_dim) {
  const auto product = checked_mul(heads, head_dim);
  if (!product) fail(fmt::format("{} heads of {} channels are too many", heads, head_dim));
  return *product;
}

void check_weights(const SelfAttention& layer, const ConstTensorView& x) {
  const int64_t hidden = x.shape[2], q_width = width(layer.heads, layer.head_dim),
                kv_width = width(layer.kv_heads, layer.head_dim);
  const AttentionWeights& w = layer.weights;
  check_shape(w.wq, "wq", {q_width, hidden}, "[heads * head_dim, hidden]", x);
  check_shape(w.wk, "wk", {kv_width, hidden}, "[kv_heads * head_dim, hidden]", x);
  check_shape(w.wv, "wv", {kv_width, hidden}, "[kv_heads * head_dim, hidden]", x);
  check_shape(w.wo, "wo", {hidden, q_width}, "[hidden, heads * head_dim]", x);
  if (present(w.bq)) check_shape(w.bq, "bq", {q_width}, "[heads * head_dim]", x);
  if (present(w.bk)) check_shape(w.bk, "bk", {kv_width}, "[kv_heads * head_dim]", x);
  if (present(w.bv)) check_shape(w.bv, "bv", {kv_width}, "[kv_heads * head_dim]", x);
  if (present(w.bo)) check_shape(w.bo, "bo", {hidden}, "[hidden]", x);
}

void check_output(const SelfAttention& layer, const ConstTensorView& x, const TensorView& y) {
  check_f32(y, "y");
  if (!(y.shape == x.shape)) {
    fail(fmt::format("y: shape {}, expected {} as x", to_string(y.shape), to_string(x.shape)));
  }
  if (may_alias_itself(y))
    fail(fmt::format("y: strides {} name one address twice", to_string(y.strides)));
  if (may_overlap(y, x)) fail("y: overlaps x");
  const AttentionWeights& w = layer.weights;
  for (const auto& [view, what] : {std::pair{&w.wq, "wq"},
                                   {&w.wk, "wk"},
                                   {&w.wv, "wv"},
                                   {&w.wo, "wo"},
                                   {&w.bq, "bq"},
                                   {&w.bk, "bk"},
                                   {&w.bv, "bv"},
                                   {&w.bo, "bo"}}) {
    if (present(*view) && may_overlap(y, *view)) fail(fmt::format("y: overlaps {}", what));
  }
}

void check_layer(const SelfAttention& layer, const ConstTensorView& x, const TensorView& y,
                 const AttentionOptions& options) {
  check_f32(x, "x");
  if (x.shape.size() != 3)
    fail(fmt::format("x: expected [batch, seq, hidden], found {}", to_string(x.shape)));
  if (layer.heads < 1 || layer.kv_heads < 1 || layer.head_dim < 1 ||
      layer.heads % layer.kv_heads != 0) {
    fail(
        fmt::format("heads {}, kv_heads {}, head_dim {}: expected at least 1 of each, and heads a "
                    "multiple of kv_heads",
                    layer.heads, layer.kv_heads, layer.head_dim));
  }
  check_weights(layer, x);
  check_output(layer, x, y);
  if (!options.alibi_slopes.empty())
    fail("alibi_slopes: expected none, the layer makes them from its encoding");
  const auto* alibi = std::get_if<AlibiConfig>(&layer.encoding);
  if (alibi != nullptr && alibi_heads(*alibi) != layer.heads) {
    fail(fmt::format("the ALiBi encoding is for {} heads, but the layer has {}",
                     alibi_heads(*alibi), layer.heads));
  }
  if (alibi != nullptr && alibi->form == AlibiForm::symmetric && !options.causal) {
    throw Error(
        ErrorCode::unsupported,
        "symmetric ALiBi without a causal mask: expected the form relative, for attend adds "
        "slope * (key - query)");
  }
}

TensorView heads_view(std::vector<float>& numbers, const Dims& tokens, int64_t heads,
                      int64_t head_dim) {
  return make_view(static_cast<void*>(numbers.data()), DType::f32,
                   {tokens[0], tokens[1], heads, head_dim});
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

void run(const SelfAttention& layer, const ConstTensorView& x, const PositionIds& positions,
         const TensorView& y, AttentionOptions options) {
  const AttentionWeights& w = layer.weights;
  const BlasMatrix tokens = blas_tokens(x);
  std::vector<float> q = linear(tokens, w.wq, w.bq), k = linear(tokens, w.wk, w.bk),
                     v = linear(tokens, w.wv, w.bv);
  const TensorView q_view = heads_view(q, x.shape, layer.heads, layer.head_dim),
                   k_view = heads_view(k, x.shape, layer.kv_heads, layer.head_dim),
                   v_view = heads_view(v, x.shape, layer.kv_heads, layer.head_dim);
  options.tensor_layout = TensorLayout::bshd;
  std::vector<float> slopes;
  if (const auto* rope = std::get_if<RopeConfig>(&layer.encoding)) {
    const Spectrum spectrum = make_spectrum(*rope);
    if (options.scale == 0) options.scale = spectrum.softmax_scale;
    const std::vector<int64_t> lengths =
        sequence_lengths(positions, x.shape[0], x.shape[1], axis_count(spectrum));
    apply_rope_by_length(*rope, lengths, positions, in_place(q_view), in_place(k_view),
                         {.parallel = options.parallel});
  } else if (const auto* alibi = std::get_if<AlibiConfig>(&layer.encoding)) {
    const double plain_scale = 1 / std::sqrt(static_cast<double>(layer.head_dim));
    slopes = alibi_score_slopes(*alibi, options.scale == 0 ? plain_scale : options.scale);
    options.alibi_slopes = slopes;
  }
  std::vector<float> mixed(q.size());
  attend(q_view, k_view, v_view, heads_view(mixed, x.shape, layer.heads, layer.head_dim), options);
  const ConstTensorView mixed_view =
      make_view(static_cast<const void*>(mixed.data()), DType::f32,
                {x.shape[0] * x.shape[1], layer.heads * layer.head_dim});
  store(linear(blas_matrix(mixed_view), w.wo, w.bo), y);
}

}  // namespace

void forward(const SelfAttention& layer, const ConstTensorView& x, const PositionIds& positions,
             const TensorView& y, const AttentionOptions& options) {
  check_layer(layer, x, y, options);
  within_memory("forward", [&] { run(layer, x, positions, y, options); });
}

}  // namespace ropewalk
