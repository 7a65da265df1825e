// Scalings, divisors and sections of a GGUF, each in a file made for the question.

#include <cmath>
#include <cstring>
#include <limits>

#include "ropewalk/models/gguf_testing.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

TEST(GgufRope, G20_ScalingTypes) {
  const auto with = [](std::string_view type) {
    return sized("llama").text("llama.rope.scaling.type", type);
  };
  EXPECT_GGUF_ERROR(with("foo"), unsupported,
                    "llama.rope.scaling.type: expected one of none, linear, yarn, longrope, found "
                    "\"foo\"");
  EXPECT_EQ(rope_of(read_gguf(with("linear"))).rope_type, "default");
  const GgufBytes linear = with("linear").f32("llama.rope.scaling.factor", 4);
  EXPECT_EQ(rope_of(read_gguf(linear)).rope_type, "linear");
  EXPECT_EQ(rope_of(read_gguf(linear)).parameters.at("factor"), 4);
  // The type that holds where none is stated, and the key's name before 2023-10.
  const GgufBytes old = sized("llama").f32("llama.rope.scale_linear", 8);
  EXPECT_EQ(rope_of(read_gguf(old)).parameters.at("factor"), 8);
  // "none" counts, whatever the factor says.
  const GgufBytes none = with("none").f32("llama.rope.scaling.factor", 4);
  EXPECT_EQ(rope_of(read_gguf(none)).rope_type, "default");
  EXPECT_THAT(read_gguf(none).warnings, testing::Contains("llama.rope.scaling.factor is not used"));
  EXPECT_GGUF_ERROR(with("longrope"), malformed, "rope_factors_short.weight");
}

// What llama.cpp writes when it saves a model: 0 and below 0 are "not stated".
TEST(GgufRope, AsLlamaCppSavesIt) {
  GgufBytes bytes = sized("llama").f32("llama.rope.scaling.factor", 0);
  bytes.text("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.yarn_ext_factor", -1);
  bytes.u32("llama.rope.scaling.original_context_length", 0);
  bytes.f32("llama.rope.freq_base", 5e5).f32("llama.rope.freq_base_swa", 1e4);
  const ModelEncoding model = read_gguf(bytes);
  EXPECT_EQ(rope_of(model).rope_theta, 5e5);
  EXPECT_EQ(rope_of(model).parameters.at("factor"), 1);
  EXPECT_FALSE(rope_of(model).parameters.contains("extrapolation_factor"));
  EXPECT_EQ(rope_of(model).parameters.at("original_max_position_embeddings"), 4096);
}

// Parts made so that the first has keys and no tensors.
TEST(GgufRope, RopeTensorsOfAnotherPart) {
  const TempFolder folder;
  GgufBytes first = sized("llama").f32("llama.rope.freq_base", 500000);
  first.number("split.count", 2, uint16_t{2}).number("split.no", 2, uint16_t{0});
  const auto path = folder.file("m-00001-of-00002.gguf", first.file());
  const auto missing = testing::Contains(testing::HasSubstr("part 2 of 2 is not beside the file"));
  EXPECT_THAT(read_gguf_model(path).warnings, missing);
  GgufBytes second;
  second.number("split.count", 2, uint16_t{2}).number("split.no", 2, uint16_t{1});
  second.tensor("rope_freqs.weight", {8}, 0, 0);
  const std::vector<float> divisors = llama3_divisors(500000, 8, 8, 8192);
  std::string data(divisors.size() * 4, '\0');
  std::memcpy(data.data(), divisors.data(), data.size());
  folder.file("m-00002-of-00002.gguf", second.file(data));
  const ModelEncoding model = read_gguf_model(path);
  EXPECT_EQ(rope_of(model).rope_type, "llama3");
  EXPECT_THAT(model.warnings, testing::Not(missing));
}

TEST(GgufRope, G21_BadFactor) {
  for (const float factor : {-0.5f, -1.0f}) {
    EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.scaling.factor", factor), malformed,
                      "key \"llama.rope.scaling.factor\": expected a positive number");
  }
  EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.scaling.factor", std::nanf("")), malformed,
                    "llama.rope.scaling.factor\": expected a finite number");
}

// A float32 of the file is the decimal that a config.json had.
TEST(GgufRope, NumbersAreShortestDecimals) {
  GgufBytes bytes = sized("llama");
  bytes.text("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.factor", 1.1f);
  bytes.f32("llama.rope.scaling.yarn_beta_fast", 32.3f);
  EXPECT_EQ(rope_of(read_gguf(bytes)).parameters.at("factor"), 1.1);
  EXPECT_EQ(rope_of(read_gguf(bytes)).parameters.at("beta_fast"), 32.3);
}

// DeepSeek-V2-Lite: a tenth of mscale_all_dim 0.707 is in the file. The factor of cos and sin is 1,
// that of the softmax scale stays.
TEST(GgufRope, LogMultiplierOfDeepSeek) {
  GgufBytes bytes = sized("deepseek2");
  bytes.u32("deepseek2.attention.key_length_mla", 192).u32("deepseek2.rope.dimension_count", 64);
  bytes.text("deepseek2.rope.scaling.type", "yarn").f32("deepseek2.rope.scaling.factor", 40);
  bytes.u32("deepseek2.rope.scaling.original_context_length", 4096);
  bytes.f32("deepseek2.rope.scaling.yarn_log_multiplier", 0.0707f);
  const RopeConfig rope = rope_of(read_gguf(bytes));
  EXPECT_EQ(rope.parameters.at("mscale_all_dim"), 0.707);
  const Spectrum spectrum = make_spectrum(rope);
  EXPECT_EQ(spectrum.attention_scaling, 1);
  EXPECT_NEAR(softmax_factor(rope) / std::sqrt(192), 0.114721, 1e-6);
}

// Mistral's: mscale_all_dim itself, mscale is 1.
TEST(GgufRope, LogMultiplierOfMistral) {
  GgufBytes bytes = sized("mistral3");
  bytes.text("mistral3.rope.scaling.type", "yarn").f32("mistral3.rope.scaling.factor", 16);
  bytes.f32("mistral3.rope.scaling.yarn_log_multiplier", 1);
  EXPECT_EQ(make_spectrum(rope_of(read_gguf(bytes))).attention_scaling, 1);
}

// llama.cpp divides by ggml's own 1 + 0.1 ln(factor) when it runs; the file has the number itself.
TEST(GgufRope, AttentionFactorOfYarn) {
  GgufBytes bytes = sized("llama");
  bytes.text("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.factor", 4);
  EXPECT_NEAR(make_spectrum(rope_of(read_gguf(bytes))).attention_scaling, 1 + 0.1 * std::log(4),
              1e-12);
  bytes.f32("llama.rope.scaling.attn_factor", 0.5);
  EXPECT_NEAR(make_spectrum(rope_of(read_gguf(bytes))).attention_scaling,
              0.5 * (1 + 0.1 * std::log(4)), 1e-12);
  EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.scaling.attn_factor", 2), malformed,
                    "llama.rope.scaling.attn_factor\": expected 1 with a scaling of type linear");
}

TEST(GgufRope, LongRope) {
  GgufBytes bytes = sized("phi3");
  bytes.text("phi3.rope.scaling.type", "longrope");
  bytes.u32("phi3.rope.scaling.original_context_length", 1024);
  bytes.f32("phi3.rope.scaling.attn_factor", 1.19f);
  bytes.tensor("rope_factors_long.weight", {8}, 0, 0)
      .tensor("rope_factors_short.weight", {8}, 0, 32);
  std::vector<float> factors;
  for (int i = 0; i < 8; ++i) factors.push_back(2.0f + static_cast<float>(i));
  for (int i = 0; i < 8; ++i) factors.push_back(1.0f);
  std::string data(factors.size() * 4, '\0');
  std::memcpy(data.data(), factors.data(), data.size());
  const ModelEncoding model = read_gguf(bytes, {}, data);
  const RopeConfig& rope = rope_of(model);
  EXPECT_EQ(rope.rope_type, "longrope");
  EXPECT_EQ(make_spectrum(rope, 1024).inv_freq[0], 1);
  EXPECT_EQ(make_spectrum(rope, 1025).inv_freq[0], 0.5f);
  EXPECT_EQ(make_spectrum(rope).attention_scaling, 1.19);
  EXPECT_THAT(source_of(model, "long_factor"),
              testing::EndsWith("tensor \"rope_factors_long.weight\""));
}

TEST(GgufRope, S07_RopeFreqsOfLlama3) {
  const GgufBytes bytes = sized("llama").f32("llama.rope.freq_base", 500000);
  for (const double original : {8192.0, 4096.0, 65536.0}) {
    const ModelEncoding model =
        read_with_tensor(bytes, "rope_freqs.weight", llama3_divisors(500000, 8, 32, original));
    const RopeConfig& rope = rope_of(model);
    EXPECT_EQ(rope.rope_type, "llama3");
    EXPECT_EQ(rope.parameters.at("factor"), 32);
    EXPECT_EQ(rope.parameters.at("high_freq_factor"), 4);
    EXPECT_EQ(rope.parameters.at("original_max_position_embeddings"), original);
  }
}

TEST(GgufRope, RopeFreqsOfNoKnownScaling) {
  const std::vector<float> divisors = {1, 1, 3, 1, 5, 6, 7, 8};
  const ModelEncoding model = read_with_tensor(sized("llama"), "rope_freqs.weight", divisors);
  EXPECT_EQ(rope_of(model).rope_type, "default");
  EXPECT_EQ(rope_of(model).lists.at("freq_factors"),
            std::vector<double>(divisors.begin(), divisors.end()));
  const Spectrum plain = make_spectrum(rope_of(read_gguf(sized("llama"))));
  const Spectrum divided = make_spectrum(rope_of(model));
  for (size_t i = 0; i < divisors.size(); ++i) {
    EXPECT_FLOAT_EQ(divided.inv_freq[i], plain.inv_freq[i] / divisors[i]);
  }
}

TEST(GgufRope, RopeFreqsOfPairsThatStandStill) {
  const ModelEncoding model = read_with_tensor(sized("llama"), "rope_freqs.weight",
                                               {1, 1, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f});
  EXPECT_EQ(rope_of(model).rope_type, "proportional");
  EXPECT_EQ(rope_of(model).parameters.at("partial_rotary_factor"), 0.25);
  EXPECT_EQ(rope_of(model).rotary_dim, 16);
}

TEST(GgufRope, G22_BadRopeFreqs) {
  const auto read = [](const std::vector<float>& values) {
    return read_with_tensor(sized("llama"), "rope_freqs.weight", values);
  };
  EXPECT_ROPEWALK_ERROR(read({1, 1, 1}), ErrorCode::malformed,
                        "tensor \"rope_freqs.weight\": expected 8 divisors, one for each pair, "
                        "found 3");
  EXPECT_ROPEWALK_ERROR(read({1, 1, 1, 0, 1, 1, 1, 1}), ErrorCode::malformed,
                        "tensor \"rope_freqs.weight\": expected positive numbers, found 0 at [3]");
  EXPECT_ROPEWALK_ERROR(read({1, 1, 1, 1, 1, std::nanf(""), 1, 1}), ErrorCode::malformed,
                        "found nan at [5]");
}

TEST(GgufRope, G23_Sections) {
  const auto with = [](const std::vector<int32_t>& sections) {
    return sized("qwen2vl").array<int32_t>("qwen2vl.rope.dimension_sections", 5, sections);
  };
  const RopeConfig rope = rope_of(read_gguf(with({2, 3, 3, 0})));
  EXPECT_EQ(rope.mrope_section, (std::vector<int64_t>{2, 3, 3}));
  EXPECT_EQ(rope.position_axes, 3);
  EXPECT_EQ(rope.layout.windows[0].pairing, Pairing::half_split);
  EXPECT_GGUF_ERROR(with({2, 3, 4, 0}), malformed, "whose sum is the 8 pairs");
  EXPECT_GGUF_ERROR(with({2, 3, -3, 0}), malformed, "expected counts of pairs, found -3");
  EXPECT_GGUF_ERROR(with({2, 3, 1, 1, 1}), malformed, "expected 3 or 4 numbers, found 5");
}

// Evidence names no key that the file has not.
TEST(GgufModel, AnAbsentScalingTypeIsNoEvidence) {
  const GgufBytes bytes = sized("llama");
  EXPECT_THAT(source_of(read_gguf(bytes), "rope_type"),
              testing::EndsWith("m.gguf: llama.rope.scaling.type is absent"));
  GgufBytes divided = bytes;
  divided.f32("llama.rope.scale_linear", 4);
  EXPECT_THAT(source_of(read_gguf(divided), "rope_type"),
              testing::EndsWith("m.gguf: llama.rope.scale_linear"));
  EXPECT_THAT(source_of(read_gguf(divided), "factor"),
              testing::EndsWith("m.gguf: llama.rope.scale_linear"));
}

}  // namespace
}  // namespace ropewalk
