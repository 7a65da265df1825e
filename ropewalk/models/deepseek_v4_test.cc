#include <cmath>

#include "ropewalk/apply/rope.h"
#include "ropewalk/models/configs_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tensors.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

ordered_json v4(std::string_view keys = "{}") {
  ordered_json config = ordered_json::parse(R"({"model_type": "deepseek_v4", "hidden_size": 4096,
      "num_attention_heads": 64, "num_key_value_heads": 1, "num_hidden_layers": 4, "head_dim": 512,
      "qk_rope_head_dim": 64, "max_position_embeddings": 1048576, "compress_ratios": [0, 0, 4, 128],
      "rope_theta": 10000, "compress_rope_theta": 160000, "rope_scaling": {"type": "yarn",
      "factor": 16, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 65536}})");
  config.update(ordered_json::parse(keys));
  return config;
}

const RopeConfig& layer(const ModelEncoding& model, size_t i) {
  return std::get<RopeConfig>(model.layers.at(i).positions);
}

// Avarok-Cybersecurity/atlas#342: the amplitude that yarn derives from the factor, 1.2772589, was
// applied, as for the models before.
TEST(DeepSeekV4, Y10_CosAndSinAreNotScaled) {
  const ModelEncoding model = read(v4());
  const Spectrum spectrum = make_spectrum(layer(model, 2));
  EXPECT_EQ(spectrum.attention_scaling, 1);
  EXPECT_EQ(model.layers[2].attention.softmax_scale,
            1 / std::sqrt(static_cast<double>(model.head_dim)));
  EXPECT_NEAR(spectrum.inv_freq[31] * std::pow(160000, 31.0 / 32), 1.0 / 16, 1e-7);
  EXPECT_EQ(source_of(model, "compress attention_factor"), "family: the code of deepseek_v4");
  ordered_json stated = v4();
  stated["rope_scaling"]["attention_factor"] = 1.25;
  EXPECT_EQ(make_spectrum(layer(read(stated), 2)).attention_scaling, 1.25);
}

TEST(DeepSeekV4, TwoRotations) {
  const ModelEncoding model = read(v4());
  for (const size_t i : {0u, 1u}) {
    EXPECT_EQ(layer(model, i).rope_type, "default");
    EXPECT_EQ(layer(model, i).rope_theta, 10000);
  }
  for (const size_t i : {2u, 3u}) {
    EXPECT_EQ(layer(model, i).rope_type, "yarn");
    EXPECT_EQ(layer(model, i).rope_theta, 160000);
  }
  for (const size_t i : {0u, 3u}) {
    EXPECT_EQ(layer(model, i).layout, (RotaryLayout{512, {{448, 64, Pairing::interleaved}}}));
  }
  ASSERT_EQ(model.others.size(), 1u);
  const auto& indexer = std::get<RopeConfig>(model.others[0].encoding);
  EXPECT_EQ(indexer.layout, (RotaryLayout{128, {{64, 64, Pairing::interleaved}}}));
  EXPECT_EQ(make_spectrum(indexer), make_spectrum(layer(model, 2)));
}

// As transformers 5 writes it.
TEST(DeepSeekV4, OtherWaysOfSayingIt) {
  const ModelEncoding expected = without_words(read(v4()));
  ordered_json nested = v4(R"({"rope_scaling": null, "compress_ratios": null,
      "layer_types": ["sliding_attention", "sliding_attention", "compressed_sparse_attention",
                      "heavily_compressed_attention"],
      "qk_rope_head_dim": null, "partial_rotary_factor": 0.125, "rope_parameters": {
      "main": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.125},
      "compress": {"rope_type": "yarn", "rope_theta": 160000.0, "partial_rotary_factor": 0.125,
        "attention_factor": 1.0, "factor": 16, "beta_fast": 32, "beta_slow": 1,
        "original_max_position_embeddings": 65536}}})");
  EXPECT_EQ(without_words(read(nested)), expected);
  ordered_json flat = v4();
  flat["rope_scaling"]["rope_theta"] = 10000;
  EXPECT_EQ(without_words(read(flat)), expected);
  flat.erase("compress_rope_theta");
  EXPECT_ROPEWALK_ERROR(read(flat), ErrorCode::malformed,
                        "config.json: /compress_rope_theta: expected the base");
  // Without the keys every layer compresses.
  ordered_json bare = v4(R"({"compress_ratios": null, "qk_rope_head_dim": null})");
  EXPECT_EQ(layer(read(bare), 0), layer(expected, 2));
}

TEST(DeepSeekV4, TurnsAsTransformersDoes) {
  const testing::Fixture fixture("deepseek_v4");
  const ordered_json& info = fixture.info();
  const ModelEncoding model = read(info.at("config"));
  const std::span<const float> q = fixture.f32("q");
  for (const auto& [kind, index] : {std::pair("main", 0), std::pair("compress", 2)}) {
    SCOPED_TRACE(kind);
    const RopeConfig& rope = layer(model, static_cast<size_t>(index));
    const Spectrum spectrum = make_spectrum(rope);
    EXPECT_EQ(spectrum.attention_scaling, info.at("attention_scaling").at(kind).get<double>());
    const std::span<const float> inv_freq = fixture.f32(std::string(kind) + "/inv_freq");
    ASSERT_EQ(spectrum.inv_freq.size(), inv_freq.size());
    // 2 ULP, as in reference_test.cc.
    for (size_t i = 0; i < inv_freq.size(); ++i) {
      EXPECT_NEAR(spectrum.inv_freq[i] / inv_freq[i], 1, 0x1p-22) << i;
    }
    const auto positions = info.at("positions").get<std::vector<int64_t>>();
    Tensor x = testing::tensor_of({1, 3, 1, 512}, {q.begin(), q.end()});
    const auto view = make_view(static_cast<const void*>(positions.data()), DType::i64, {3});
    apply_rope(spectrum, rope.layout, positions_of(view), in_place(x.view()));
    const auto found = testing::floats(x);
    const std::span<const float> expected = fixture.f32(std::string(kind) + "/q_out");
    for (size_t i = 0; i < found.size(); ++i) {
      const size_t channel = i % 512, first = i - i % 2;
      if (channel < 448) {
        ASSERT_EQ(found[i], expected[i]);
        continue;
      }
      const double angle =
          spectrum.inv_freq[(channel - 448) / 2] * static_cast<double>(positions[i / 512]);
      const double tolerance = testing::rotation_float32(5 * angle);
      ASSERT_NEAR(found[i], expected[i], tolerance * std::hypot(q[first], q[first + 1])) << i;
    }
  }
}

TEST(DeepSeekV4, WhatCannotBe) {
  const auto refused = [](std::string_view keys, const char* text, ErrorCode code) {
    EXPECT_ROPEWALK_ERROR(read(v4(keys)), code, text);
  };
  refused(R"({"compress_ratios": [0, 4]})", "/compress_ratios: expected 4 entries, one for each",
          ErrorCode::malformed);
  refused(R"({"layer_types": ["sliding_attention", "full_attention", "x", "y"]})",
          "/layer_types: expected layers of the kinds sliding_attention, ", ErrorCode::unsupported);
  refused(R"({"partial_rotary_factor": 0.001})",
          "/partial_rotary_factor: expected an even number of rotated channels in 2..512, found 0",
          ErrorCode::malformed);
  refused(R"({"index_head_dim": 32})", "/index_head_dim: expected at least the 64 channels",
          ErrorCode::malformed);
  refused(R"({"rope_parameters": {"main": null, "compress": {}}, "rope_scaling": null})",
          "/rope_parameters: expected an object for main, found null", ErrorCode::unsupported);
  refused(R"({"rope_scaling": {"type": "yarn", "factor": 16, "beta_fast": 1, "beta_slow": 32}})",
          "/rope_scaling: rope_type \"yarn\": beta_fast: expected at least ", ErrorCode::malformed);
}

}  // namespace
}  // namespace ropewalk
