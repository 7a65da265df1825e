// Facts that show printed and attend did not obey: each entry's input and right value, computed
// apart from the product.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/attention/heads.h"
#include "ropewalk/attention/self_attention.h"
#include "ropewalk/models/models.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::tensor_of;

constexpr float kHidden = -std::numeric_limits<float>::infinity();

Layer layer_of(const std::string& config, size_t layer = 0) {
  return read_model_config(config, "config.json").layers.at(layer);
}

// The scores of q and k that are not to be rotated (all at position 0), [1, tokens, heads, dim].
std::vector<float> scores(const Layer& layer, const Tensor& q, const Tensor& k) {
  const int64_t queries = q.shape[1], keys = k.shape[1], heads = q.shape[2];
  Tensor out = make_tensor(DType::f32, {1, heads, queries, keys});
  const LayerScores how = scores_of(layer, {});
  attention_scores(q.view(), k.view(), out.view(), how.options);
  return floats(out);
}

Tensor constant(const Dims& shape, float value) {
  return tensor_of(shape, std::vector<float>(static_cast<size_t>(num_elements(shape)), value));
}

// One head of q = k = ones, so that q.k is the width of the head.
double score_of_ones(const Layer& layer, float value = 1) {
  const Tensor ones = constant({1, 1, 1, layer.head_dim}, value);
  return scores(layer, ones, ones).front();
}

TEST(ObeyedFacts, A_SoftmaxScaleOfGranite) {
  const Layer layer = layer_of(R"({"model_type": "granite", "hidden_size": 2048,
      "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 2,
      "attention_multiplier": 0.015625})");
  EXPECT_NEAR(score_of_ones(layer), 64 * 0.015625, 1e-6) << "not 64 / 8";
}

TEST(ObeyedFacts, A_SoftmaxScaleOfGemma) {
  const Layer two = layer_of(R"({"model_type": "gemma2", "hidden_size": 256, "head_dim": 256,
      "num_attention_heads": 1, "num_key_value_heads": 1, "num_hidden_layers": 2,
      "query_pre_attn_scalar": 144, "attn_logit_softcapping": null})");
  EXPECT_NEAR(score_of_ones(two), 256.0 / 12, 1e-5) << "not 256 / 16";
  const Layer three = layer_of(R"({"model_type": "gemma3_text", "hidden_size": 128,
      "head_dim": 128, "num_attention_heads": 1, "num_key_value_heads": 1, "num_hidden_layers": 2,
      "query_pre_attn_scalar": 168})");
  EXPECT_NEAR(score_of_ones(three), 128 * 0.0771517, 1e-4) << "not 128 * 0.0883883";
}

TEST(ObeyedFacts, A_SoftcapOfGemma2) {
  const Layer layer = layer_of(R"({"model_type": "gemma2", "hidden_size": 256, "head_dim": 256,
      "num_attention_heads": 1, "num_key_value_heads": 1, "num_hidden_layers": 2,
      "attn_logit_softcapping": 50})");
  EXPECT_NEAR(score_of_ones(layer, 3), 50 * std::tanh(144.0 / 50), 1e-4) << "49.69, not 144";
}

TEST(ObeyedFacts, A_WindowOfMistralAndGemma2) {
  for (const char* type : {"mistral", "gemma2"}) {
    const Layer layer = layer_of(std::string(R"({"model_type": ")") + type + R"(",
        "hidden_size": 8, "head_dim": 8, "num_attention_heads": 1, "num_key_value_heads": 1,
        "num_hidden_layers": 2, "sliding_window": 2})");
    const Tensor ones = constant({1, 5, 1, 8}, 1);
    const std::vector<float> found = scores(layer, ones, ones);
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = 0; j < 5; ++j) {
        const bool seen = j <= i && i - j < 2;
        EXPECT_EQ(found[static_cast<size_t>(5 * i + j)] != kHidden, seen) << type << i << j;
      }
    }
  }
}

TEST(ObeyedFacts, A_TemperatureOfMinistral) {
  const Layer layer = layer_of(R"({"model_type": "ministral3", "hidden_size": 64,
      "num_attention_heads": 8, "num_hidden_layers": 2})");
  ASSERT_TRUE(layer.attention.query_scale.has_value());
  EXPECT_NEAR(query_factor(*layer.attention.query_scale, 20000),
              1 + 0.1 * std::log(1 + std::floor(20000.0 / 16384)), 1e-12);
  EXPECT_EQ(query_factor(*layer.attention.query_scale, 16383), 1);
}

// A layer without rotation scales by the position all the same.
TEST(ObeyedFacts, A_TemperatureOfLlama4) {
  const Layer layer = layer_of(R"({"model_type": "llama4_text", "hidden_size": 64,
      "num_attention_heads": 4, "num_key_value_heads": 4, "num_hidden_layers": 4})",
                               3);
  EXPECT_TRUE(std::holds_alternative<NoEncoding>(layer.positions));
  Tensor q = constant({1, 1, 4, 128}, 1);
  const std::vector<int64_t> at = {16383};
  scale_queries(layer.attention.query_scale.value(),
                positions_of(make_view(static_cast<const void*>(at.data()), DType::i64, {1})),
                q.view());
  EXPECT_NEAR(floats(q).front(), 1 + 0.1 * std::log(3), 1e-6);
}

// gamma_q [1, 2, 3, 4], gamma_k 1, after the rotation; q = k = v = x.
TEST(ObeyedFacts, A_NormOfHunyuanAfterTheRotation) {
  Layer layer = layer_of(R"({"model_type": "hunyuan_v1_dense", "hidden_size": 4, "head_dim": 4,
      "num_attention_heads": 1, "num_key_value_heads": 1, "num_hidden_layers": 1})");
  EXPECT_EQ(layer.attention.qk_norm.place, NormPlace::after_rotation);
  layer.attention.qk_norm.eps = 0;
  Tensor q = tensor_of({1, 2, 1, 4}, {2, 0, 0, 0, 1, -1, 2, .5f}), k = q;
  const auto& rope = std::get<RopeConfig>(layer.positions);
  const RopeRows rows = step_rows(layer.positions, positions_from(0), 1, 2);
  apply_rope(rows, rope.layout, in_place(q.view()), in_place(k.view()));
  const Tensor gamma_q = tensor_of({4}, {1, 2, 3, 4}), gamma_k = tensor_of({4}, {1, 1, 1, 1});
  normalize(layer.attention.qk_norm, q.view(), gamma_q.view(), {}, "q_norm");
  normalize(layer.attention.qk_norm, k.view(), gamma_k.view(), {}, "k_norm");
  EXPECT_NEAR(scores(layer, q, k)[2], -0.914112, 1e-5) << "not -1.1426396";
}

// A layer with identity weights: the norm of the rotated q and k.
TEST(ObeyedFacts, A_NormOfLlama4) {
  const Layer layer = layer_of(R"({"model_type": "llama4_text", "hidden_size": 4, "head_dim": 4,
      "num_attention_heads": 1, "num_key_value_heads": 1, "num_hidden_layers": 4,
      "use_qk_norm": true})");
  const Tensor one = tensor_of({4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  const Tensor x = tensor_of({1, 2, 4}, {2, 0, 0, 0, 1, -1, 2, .5f});
  Tensor y = make_tensor(DType::f32, x.shape);
  forward({layer, {one.view(), one.view(), one.view(), one.view()}}, x.view(), positions_from(0),
          y.view());
  const std::vector<float> found = floats(y);
  const double right[] = {1.290166, -0.709834, 1.419668, 0.354917};
  for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(found[4 + c], right[c], 2e-6) << c;
}

// Falcon rounds slope, position and their product to bf16: 0.839844 * 69 is 58, not 57.949.
TEST(ObeyedFacts, B21_BiasOfFalconInBf16) {
  const float slope = 0.83984375f;
  const Tensor q = constant({1, 1, 1, 2}, 0), k = constant({1, 70, 1, 2}, 0);
  Tensor out = make_tensor(DType::f32, {1, 1, 1, 70});
  AttentionOptions options{.causal = true,
                           .alibi_slopes = {&slope, 1},
                           .alibi_form = AlibiForm::key_position,
                           .alibi_bf16 = true};
  attention_scores(q.view(), k.view(), out.view(), options);
  EXPECT_EQ(floats(out)[69], 58);
  options.alibi_bf16 = false;
  attention_scores(q.view(), k.view(), out.view(), options);
  EXPECT_NEAR(floats(out)[69], 57.949, 1e-3);
}

// A model without a fact about its scores is refused, and so is a layer of another mixer.
TEST(ObeyedFacts, WhatIsNotComputedIsRefusedByName) {
  const auto refused = [](const std::string& config, size_t layer = 0) {
    try {
      check_computed(layer_of(config, layer));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string sizes =
      R"("hidden_size": 128, "num_attention_heads": 8, "num_hidden_layers": 4})";
  EXPECT_NE(refused(R"({"model_type": "diffllama", )" + sizes).find("differential_attention"),
            std::string::npos);
  EXPECT_NE(refused(R"({"model_type": "mllama_text_model", "num_key_value_heads": 8, )" + sizes, 3)
                .find("cross_attention"),
            std::string::npos);
  EXPECT_NE(refused(R"({"model_type": "mimi", )" + sizes).find("not known"), std::string::npos);
  EXPECT_EQ(refused(R"({"model_type": "llama", )" + sizes), "");
}

}  // namespace
}  // namespace ropewalk
