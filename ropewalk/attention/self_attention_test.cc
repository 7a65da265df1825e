#include "ropewalk/attention/self_attention.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::random_tensor;
using testing::reordered;
using testing::Strided;
using testing::tensor_of;

constexpr int64_t kHidden = 24, kHeads = 4, kKvHeads = 2, kDim = 8;

// A layer that owns its weights.
struct Weights {
  Tensor wq = random_tensor({kHeads * kDim, kHidden}, 1),
         wk = random_tensor({kKvHeads * kDim, kHidden}, 2),
         wv = random_tensor({kKvHeads * kDim, kHidden}, 3),
         wo = random_tensor({kHidden, kHeads*kDim}, 4), bq = random_tensor({kHeads * kDim}, 5),
         bk = random_tensor({kKvHeads * kDim}, 6), bv = random_tensor({kKvHeads * kDim}, 7),
         bo = random_tensor({kHidden}, 8);

  SelfAttention with(const PositionEncoding& encoding, AttentionConfig attention = {}) const {
    return {
        {.heads = kHeads,
         .kv_heads = kKvHeads,
         .head_dim = kDim,
         .value_dim = kDim,
         .positions = encoding,
         .attention = std::move(attention)},
        {wq.view(), wk.view(), wv.view(), wo.view(), bq.view(), bk.view(), bv.view(), bo.view()}};
  }
};

PositionEncoding rope() {
  return RopeConfig{.rotary_dim = kDim, .layout = {kDim, {{0, kDim, Pairing::half_split}}}};
}

Tensor forwarded(const SelfAttention& layer, const Tensor& x,
                 const PositionIds& positions = positions_from(0)) {
  Tensor y = make_tensor(DType::f32, x.shape);
  forward(layer, x.view(), positions, y.view());
  return y;
}

// x W^T + b in float64.
Tensor projected(const Tensor& x, const Tensor& w, const Tensor& b, const Dims& shape) {
  const auto xs = floats(x), ws = floats(w), bs = floats(b);
  const size_t in = static_cast<size_t>(w.shape[1]), rows = bs.size();
  std::vector<float> y;
  for (size_t token = 0; token < xs.size() / in; ++token) {
    for (size_t row = 0; row < rows; ++row) {
      double sum = bs[row];
      for (size_t c = 0; c < in; ++c) {
        sum += static_cast<double>(xs[token * in + c]) * ws[row * in + c];
      }
      y.push_back(static_cast<float>(sum));
    }
  }
  return tensor_of(shape, y);
}

// The four steps apart; rotation and attention have tests of their own.
Tensor expected(const Weights& layer, const PositionEncoding& encoding, const Tensor& x,
                AttentionOptions options) {
  const int64_t batch = x.shape[0], length = x.shape[1];
  Tensor q = projected(x, layer.wq, layer.bq, {batch, length, kHeads, kDim}),
         k = projected(x, layer.wk, layer.bk, {batch, length, kKvHeads, kDim});
  const Tensor v = projected(x, layer.wv, layer.bv, {batch, length, kKvHeads, kDim});
  std::vector<float> slopes;
  if (const auto* config = std::get_if<RopeConfig>(&encoding)) {
    apply_rope(make_spectrum(*config), config->layout, positions_from(0), in_place(q.view()),
               in_place(k.view()));
  }
  if (const auto* config = std::get_if<AlibiConfig>(&encoding)) slopes = alibi_slopes(*config);
  options.alibi_slopes = slopes;
  return projected(testing::attended(q, k, v, options), layer.wo, layer.bo, x.shape);
}

void expect_close(const Tensor& a, const Tensor& b, double tolerance) {
  const auto x = floats(a), y = floats(b);
  ASSERT_EQ(x.size(), y.size());
  double largest = 0;
  for (float value : y) largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], tolerance * largest) << i;
}

TEST(SelfAttention, TheWorkedNumber) {
  const Tensor one = tensor_of({1, 1}, {1}), x = tensor_of({1, 2, 1}, {0, std::log(3.0f)});
  const SelfAttention layer{{.heads = 1, .kv_heads = 1, .head_dim = 1, .value_dim = 1},
                            {one.view(), one.view(), one.view(), one.view()}};
  const auto y = floats(forwarded(layer, x));
  EXPECT_EQ(y[0], 0);
  EXPECT_NEAR(y[1] / std::log(3.0), 0.769759, 1e-6);
}

RopeConfig scaled_rope() {
  RopeConfig config = std::get<RopeConfig>(rope());
  config.rope_type = "llama3";
  config.parameters = {{"factor", 8},
                       {"low_freq_factor", 1},
                       {"high_freq_factor", 4},
                       {"original_max_position_embeddings", 32}};
  return config;
}

// Each rotates once (NVIDIA/TensorRT-LLM#4040 rotated in a call and in a fused kernel) and with its
// scaling (sbryngelson/ANEForge#58: a fast path of its own had none).
TEST(SelfAttention, S04_U03_IsTheFourSteps) {
  const Weights layer;
  const Tensor x = random_tensor({2, 40, kHidden}, 9);
  for (const PositionEncoding& encoding :
       {rope(), PositionEncoding{scaled_rope()}, PositionEncoding{AlibiConfig{.heads = kHeads}},
        PositionEncoding{NoEncoding{}}, PositionEncoding{SinusoidalConfig{.d_model = kHidden}}}) {
    for (double scale : {0.0, 0.1}) {
      SCOPED_TRACE(name(encoding));
      const AttentionOptions options{.causal = true, .scale = scale};
      // The scores are of size 100, and a rounding of them moves the weights by as much.
      expect_close(forwarded(layer.with(encoding, {.softmax_scale = scale}), x),
                   expected(layer, encoding, x, options), 1e-4);
    }
  }
}

TEST(SelfAttention, WithoutEncodingAPermutedSequenceIsThePermutedBag) {
  // The article: 他欠我100萬 and 我欠他100萬 mean the same to a layer without positions.
  const Weights layer;
  const Tensor x = random_tensor({1, 5, kHidden}, 9);
  const std::vector<int64_t> order = {2, 1, 0, 3, 4};
  const Tensor swapped = reordered(x, order);
  const AttentionConfig full{.mask = Mask::full};
  expect_close(forwarded(layer.with(NoEncoding{}, full), swapped),
               reordered(forwarded(layer.with(NoEncoding{}, full), x), order), testing::kAttention);
  const auto with = floats(forwarded(layer.with(rope(), full), swapped)),
             against = floats(reordered(forwarded(layer.with(rope(), full), x), order));
  double difference = 0;
  for (size_t i = 0; i < with.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(with[i]) - against[i]));
  }
  EXPECT_GT(difference, 0.01) << "with RoPE the order must matter";
}

TEST(SelfAttention, OnlyDistancesMatterToRope) {
  const Weights layer;
  const Tensor x = random_tensor({2, 7, kHidden}, 9);
  expect_close(forwarded(layer.with(rope()), x, positions_from(131000)),
               forwarded(layer.with(rope()), x), 1e-5);
}

// The length is 1 + the last position: from the first token past it on, LongRoPE is long.
TEST(SelfAttention, AScalingSeesTheLengthOfTheSequence) {
  const Weights layer;
  const Tensor x = random_tensor({2, 7, kHidden}, 9);
  RopeConfig config = std::get<RopeConfig>(rope());
  config.rope_type = "longrope";
  config.parameters = {{"original_max_position_embeddings", 64}, {"factor", 1}};
  const auto pairs = static_cast<size_t>(config.rotary_dim / 2);
  config.lists["short_factor"].assign(pairs, 1);
  config.lists["long_factor"].assign(pairs, 1);
  const auto run = [&](double long_factor, int64_t first) {
    config.lists["long_factor"].assign(pairs, long_factor);
    return forwarded(layer.with(config), x, positions_from(first)).bytes;
  };
  EXPECT_EQ(run(1, 57), run(5, 57)) << "7 tokens from 57: 64";
  EXPECT_NE(run(1, 58), run(5, 58));
}

// Falcon divides the bias with the scores: an eighth of the slopes for a head of 64 channels.
TEST(SelfAttention, ABiasBeforeTheScaleIsScaled) {
  const Weights layer;
  const Tensor x = random_tensor({1, 9, kHidden}, 9);
  const AlibiConfig falcon{.heads = kHeads, .before_scale = true};
  const AlibiConfig plain{.heads = kHeads};
  const auto run = [&](const AlibiConfig& config, double scale) {
    return forwarded(layer.with(config, {.softmax_scale = scale}), x).bytes;
  };
  EXPECT_EQ(run(falcon, 1), run(plain, 1));
  EXPECT_NE(run(falcon, 0), run(plain, 0));
}

TEST(SelfAttention, AnyStridesOfInputWeightsAndOutput) {
  const Weights layer;
  const Tensor x = random_tensor({3, 7, kHidden}, 9);
  const auto want = forwarded(layer.with(rope()), x);
  for (const Dims& order : {Dims{0, 1, 2}, Dims{1, 0, 2}, Dims{2, 1, 0}}) {
    SelfAttention strided = layer.with(rope());
    const Dims across = order[2] == 2 ? Dims{0, 1} : Dims{1, 0};
    const Strided wq(layer.wq, across), wo(layer.wo, {1, 0}), bk(layer.bk, {0});
    strided.weights.wq = wq.view;
    strided.weights.wo = wo.view;
    strided.weights.bk = bk.view;
    // Columns side by side: BLAS takes it as it is.
    const Tensor turned = contiguous_copy(permuted(layer.wk.view(), {1, 0}));
    strided.weights.wk = permuted(turned.view(), {1, 0});
    const Strided from(x, order);
    Strided to(make_tensor(DType::f32, x.shape), order);
    forward(strided, from.view, positions_from(0), to.view);
    expect_close(contiguous_copy(to.view), want, 1e-5);
    for (size_t i = 1; i < to.memory.size(); i += 2) ASSERT_TRUE(std::isnan(to.memory[i]));
  }
}

TEST(SelfAttention, TokensOfALongerBuffer) {
  const Weights layer;
  const Tensor x = random_tensor({3, 9, kHidden}, 9);
  const ConstTensorView part = testing::tokens_of(x.view(), 1, 7);
  for (int64_t batch : {1, 3}) {
    ConstTensorView some = part;
    some.shape[0] = batch;
    Tensor y = make_tensor(DType::f32, some.shape);
    forward(layer.with(rope()), some, positions_from(0), y.view());
    expect_close(y, forwarded(layer.with(rope()), contiguous_copy(some)), 1e-5);
  }
}

TEST(SelfAttention, NothingToDo) {
  const Weights layer;
  for (const Dims& shape : {Dims{0, 3, kHidden}, Dims{2, 0, kHidden}}) {
    EXPECT_NO_THROW(forwarded(layer.with(rope()), make_tensor(DType::f32, shape)));
  }
}

TEST(SelfAttention, ErrorsNameTheTensorAndLeaveTheOutput) {
  const Weights good;
  const Tensor x = random_tensor({2, 3, kHidden}, 9);
  Tensor y = random_tensor(x.shape, 10);
  const auto before = y.bytes;
  const auto run = [&](const SelfAttention& layer) {
    forward(layer, x.view(), positions_from(0), y.view());
  };
  SelfAttention bad = good.with(rope());
  bad.weights.wk = good.wq.view();
  EXPECT_ROPEWALK_ERROR(
      run(bad), ErrorCode::invalid_argument,
      "wk: expected shape [kv_heads * head_dim, hidden] = [16, 24] for x of shape ");
  bad = good.with(rope());
  bad.weights.bo = good.bq.view();
  EXPECT_ROPEWALK_ERROR(run(bad), ErrorCode::invalid_argument, "bo: expected shape ");
  bad = good.with(rope());
  bad.weights.wv = {};
  EXPECT_ROPEWALK_ERROR(run(bad), ErrorCode::invalid_argument, "wv: ");
  bad = good.with(rope());
  bad.layer.kv_heads = 3;
  EXPECT_ROPEWALK_ERROR(run(bad), ErrorCode::invalid_argument, "found heads 4, kv_heads 3");
  EXPECT_ROPEWALK_ERROR(run(good.with(AlibiConfig{.heads = 8})), ErrorCode::invalid_argument,
                        "for 8 heads, but the layer has 4");
  const RopeConfig other{.rotary_dim = 16, .layout = {16, {{0, 16, Pairing::half_split}}}};
  EXPECT_ROPEWALK_ERROR(run(good.with(other)), ErrorCode::invalid_argument,
                        "expected heads of 16 channels, found 8");
  EXPECT_ROPEWALK_ERROR(run(good.with(rope(), {.not_computed = {NotComputed::dynamic_mask}})),
                        ErrorCode::unsupported, "dynamic_mask");
  bad = good.with(rope());
  bad.layer.mixer = Mixer::cross_attention;
  EXPECT_ROPEWALK_ERROR(run(bad), ErrorCode::unsupported, "cross_attention");
  EXPECT_ROPEWALK_ERROR(run(good.with(rope(), {.qk_norm = {.kind = NormKind::rms}})),
                        ErrorCode::invalid_argument,
                        "q_norm: expected weights, as the layer norms with them, found none");
  EXPECT_ROPEWALK_ERROR(run(good.with(rope(), {.sinks = true})), ErrorCode::invalid_argument,
                        "sinks: ");
  bad = good.with(rope());
  bad.weights.q_norm = good.bq.view();
  EXPECT_ROPEWALK_ERROR(
      run(bad), ErrorCode::invalid_argument,
      "q_norm: expected no weights, as the layer has no such norm, found shape [32]");
  EXPECT_EQ(y.bytes, before);
  EXPECT_ROPEWALK_ERROR(forward(good.with(rope()), y.view(), positions_from(0), y.view()),
                        ErrorCode::invalid_argument, "y: overlaps x");
  EXPECT_ROPEWALK_ERROR(forward(good.with(rope()), random_tensor({3, kHidden}, 1).view(),
                                positions_from(0), y.view()),
                        ErrorCode::invalid_argument, "x: expected [batch, seq, hidden]");
  EXPECT_EQ(y.bytes, before);
}

}  // namespace
}  // namespace ropewalk
