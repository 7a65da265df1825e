// Attention beside transformers' LlamaAttention, and ALiBi in float64.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/self_attention.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::Fixture;

float largest(std::span<const float> values) {
  float result = 0;
  for (const float value : values) result = std::max(result, std::abs(value));
  return result;
}

SelfAttention layer_of(const Fixture& fixture) {
  const auto& info = fixture.info();
  SelfAttention self;
  Layer& layer = self.layer;
  layer.heads = info.at("heads").get<int64_t>();
  layer.kv_heads = info.at("kv_heads").get<int64_t>();
  layer.head_dim = layer.value_dim = info.at("head_dim").get<int64_t>();
  RopeConfig rope;
  rope.rope_theta = info.at("rope_theta").get<double>();
  rope.rotary_dim = layer.head_dim;
  rope.layout = {layer.head_dim, {{0, layer.head_dim, Pairing::half_split}}};
  layer.positions = rope;
  AttentionWeights& w = self.weights;
  w.wq = fixture.view("wq"), w.wk = fixture.view("wk");
  w.wv = fixture.view("wv"), w.wo = fixture.view("wo");
  if (info.at("attention_bias").get<bool>()) {
    w.bq = fixture.view("bq"), w.bk = fixture.view("bk");
    w.bv = fixture.view("bv"), w.bo = fixture.view("bo");
  }
  return self;
}

// Rows of tokens that are not padding, relative to the largest |y| among all.
void expect_rows(const Fixture& fixture, std::span<const float> ours, const std::string& name,
                 double tolerance) {
  const std::span<const float> expected = fixture.f32(name);
  const auto* keep = static_cast<const uint8_t*>(fixture.view("key_mask").data);
  const size_t hidden = fixture.info().at("hidden_size").get<size_t>();
  ASSERT_EQ(ours.size(), expected.size());
  const double limit = tolerance * largest(fixture.f32("y_exact"));
  for (size_t i = 0; i < ours.size(); ++i) {
    if (!keep[i / hidden]) continue;
    ASSERT_NEAR(ours[i], expected[i], limit)
        << name << " token " << i / hidden << " channel " << i % hidden;
  }
}

void expect_layer(const std::string& name) {
  SCOPED_TRACE(name);
  const Fixture fixture(name);
  SelfAttentionOptions options;
  if (fixture.info().at("left_padding").get<int64_t>() > 0) {
    options.key_mask = fixture.view("key_mask");
  }
  Tensor y = make_tensor(DType::f32, fixture.view("y").shape);
  forward(layer_of(fixture), fixture.view("x"), positions_of(fixture.view("position_ids")),
          y.view(), options);
  const std::span<const float> ours(reinterpret_cast<const float*>(y.bytes.data()),
                                    y.bytes.size() / sizeof(float));
  expect_rows(fixture, ours, "y_exact", testing::kAttention);
  expect_rows(fixture, ours, "y", testing::kAttentionFloat32);
}

TEST(AttentionReference, LlamaAttention) { expect_layer("llama_attention"); }
TEST(AttentionReference, LlamaAttentionWithBias) { expect_layer("llama_attention_d16_bias"); }
TEST(AttentionReference, LlamaAttentionLeftPadded) { expect_layer("llama_attention_left_padded"); }

TEST(AttentionReference, AlibiAttention) {
  const Fixture fixture("alibi");
  const std::vector<float> slopes =
      alibi_slopes({.heads = fixture.info().at("heads").get<int64_t>()});
  AttentionOptions options;
  options.causal = true;
  options.alibi_slopes = slopes;
  const std::span<const float> expected = fixture.f32("out");
  std::vector<float> out(expected.size());
  attend(fixture.view("q"), fixture.view("k"), fixture.view("v"),
         make_view(static_cast<void*>(out.data()), DType::f32, fixture.view("out").shape), options);
  const double limit = testing::kAttention * largest(expected);
  for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], limit) << i;
}

}  // namespace
}  // namespace ropewalk
