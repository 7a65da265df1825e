// GGUF files made for one question each; those of published models are in dialects_test.cc.

#include "ropewalk/models/gguf_model.h"

#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/gguf_bytes.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

// A model of 4 layers and 4 heads of 16 channels, with more keys to come.
GgufBytes sized(std::string_view architecture) {
  GgufBytes bytes;
  const std::string prefix = std::string(architecture) + ".";
  bytes.text("general.architecture", architecture);
  bytes.u32(prefix + "embedding_length", 64).u32(prefix + "block_count", 4);
  bytes.u32(prefix + "attention.head_count", 4).u32(prefix + "context_length", 4096);
  return bytes;
}

ModelEncoding read_gguf(const GgufBytes& bytes, std::string_view assume = {},
                        std::string_view data = "") {
  const TempFolder folder;
  ModelEncoding model = read_gguf_model(folder.file("m.gguf", bytes.file(data)), assume);
  for (std::string& warning : model.warnings) {
    if (const size_t at = warning.find("m.gguf"); at != warning.npos) warning.erase(0, at);
  }
  return model;
}

// One tensor of float32 numbers after the keys.
ModelEncoding read_with_tensor(GgufBytes bytes, std::string_view name,
                               const std::vector<float>& values) {
  bytes.tensor(name, {values.size()}, 0, 0);
  std::string data(values.size() * sizeof(float), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return read_gguf(bytes, {}, data);
}

#define EXPECT_GGUF_ERROR(bytes, code, text) \
  EXPECT_ROPEWALK_ERROR(read_gguf(bytes), ErrorCode::code, text)

std::vector<float> llama3_divisors(double base, size_t pairs, double factor, double original) {
  std::vector<float> divisors;
  for (size_t i = 0; i < pairs; ++i) {
    const double turns = original / (2 * M_PI) *
                         std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs));
    const double t = std::clamp((turns - 1) / 3, 0.0, 1.0);
    divisors.push_back(static_cast<float>(1 / ((1 - t) / factor + t)));
  }
  return divisors;
}

std::vector<std::string> kinds(const ModelEncoding& model) {
  std::vector<std::string> names;
  for (const PositionEncoding& layer : model.layers) names.emplace_back(name(layer));
  return names;
}

TEST(GgufModel, DefaultsAreThoseOfLlamaCpp) {
  const ModelEncoding model = read_gguf(sized("llama"));
  const RopeConfig& rope = rope_of(model);
  EXPECT_EQ(rope.rope_theta, 10000);
  EXPECT_EQ(rope.rotary_dim, 16);
  EXPECT_EQ(rope.layout.windows[0].pairing, Pairing::interleaved);
  EXPECT_EQ(source_of(model, "rope_theta"), "default of llama.cpp");
  EXPECT_EQ(model.kv_heads, 4);
  EXPECT_EQ(model.max_positions, 4096);
  EXPECT_EQ(model.family, "llama");
  EXPECT_THAT(model.warnings, testing::Contains(testing::HasSubstr("rows of Q and K were moved")));
}

// ollama/ollama#14412, LostRuins/koboldcpp#487 and llama.cpp's own default: a model whose base is
// another, converted without it.
TEST(GgufModel, AbsentBaseIsNamedWhereTheModelsOwnIsAnother) {
  EXPECT_THAT(read_gguf(sized("gpt-oss")).warnings,
              testing::Contains("gpt-oss.rope.freq_base is absent: llama.cpp takes 10000, the "
                                "model's own default is 150000"));
  const GgufBytes stated = sized("gpt-oss").f32("gpt-oss.rope.freq_base", 150000);
  EXPECT_THAT(read_gguf(stated).warnings,
              testing::Not(testing::Contains(testing::HasSubstr("absent"))));
  EXPECT_THAT(read_gguf(sized("llama")).warnings,
              testing::Not(testing::Contains(testing::HasSubstr("absent"))));
}

// ollama/ollama#2379: a Qwen2 that was converted without its base of 1e6, and answers in newlines
// after a while. The class has another default than its models, so that the source must tell.
TEST(GgufModel, B03_AbsentBaseOfAModelThatStatesIt) {
  const auto angle = [](const GgufBytes& bytes) {
    return 4096 * make_spectrum(rope_of(read_gguf(bytes))).inv_freq.at(63);
  };
  GgufBytes qwen2 = sized("qwen2");
  qwen2.u32("qwen2.attention.key_length", 128);
  EXPECT_EQ(source_of(read_gguf(qwen2), "rope_theta"), "default of llama.cpp");
  EXPECT_NEAR(angle(qwen2), 0.472999, 5e-7);
  const GgufBytes stated = qwen2.f32("qwen2.rope.freq_base", 1000000);
  EXPECT_NEAR(angle(stated), 0.005083, 5e-7);
}

TEST(GgufModel, G16_BadBase) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float base : {infinity, -infinity, std::nanf("")}) {
    EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.freq_base", base), malformed,
                      "key \"llama.rope.freq_base\": expected a finite number");
  }
  for (const float base : {0.0f, -10000.0f, 1e-30f}) {
    EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.freq_base", base), malformed,
                      "m.gguf: llama.rope.freq_base: expected a number of at least 1");
  }
  EXPECT_GGUF_ERROR(sized("llama").text("llama.rope.freq_base", "10000"), malformed,
                    "llama.rope.freq_base");
}

TEST(GgufModel, G17_BadRotaryDim) {
  for (const uint32_t dim : {0u, 7u, 18u, 1u << 31}) {
    EXPECT_ROPEWALK_ERROR(read_gguf(sized("llama").u32("llama.rope.dimension_count", dim)),
                          dim == 18 || dim == 7 ? ErrorCode::unsupported : ErrorCode::malformed,
                          "llama.rope.dimension_count");
  }
  GgufBytes latent = sized("deepseek2");
  latent.u32("deepseek2.attention.key_length", 24).u32("deepseek2.rope.dimension_count", 32);
  EXPECT_GGUF_ERROR(latent, malformed,
                    "key \"deepseek2.rope.dimension_count\": expected at most the 24 channels");
  EXPECT_GGUF_ERROR(sized("deepseek2"), malformed, "deepseek2.attention.key_length");
}

TEST(GgufModel, G18_BadHeads) {
  GgufBytes none;
  none.text("general.architecture", "llama");
  none.u32("llama.embedding_length", 64).u32("llama.block_count", 4);
  EXPECT_GGUF_ERROR(none, malformed,
                    "m.gguf: llama.attention.head_count: expected an integer in 1..1048576, found "
                    "no such key");
  EXPECT_GGUF_ERROR(none.u32("llama.attention.head_count", 0), malformed,
                    "llama.attention.head_count: expected an integer in 1..1048576, found 0");
  EXPECT_GGUF_ERROR(sized("llama").u32("llama.attention.head_count_kv", 3), malformed,
                    "llama.attention.head_count_kv");
  EXPECT_GGUF_ERROR(sized("llama").array<int32_t>("llama.attention.head_count_kv", 5, {4, 4}),
                    malformed, "expected 4 numbers, one for each layer, found 2");
}

TEST(GgufModel, G19_HugeLayerCountTakesNoMemory) {
  GgufBytes bytes;
  bytes.text("general.architecture", "llama").u32("llama.embedding_length", 64);
  bytes.u32("llama.attention.head_count", 4).u32("llama.block_count", 1u << 31);
  EXPECT_GGUF_ERROR(bytes, malformed, "llama.block_count: expected an integer in 1..4096");
}

// A layer of 0 key heads does not attend: a convolution, a recurrence.
TEST(GgufModel, LayersWithoutHeads) {
  const GgufBytes bytes =
      sized("lfm2").array<int32_t>("lfm2.attention.head_count_kv", 5, {0, 2, 0, 2});
  const ModelEncoding model = read_gguf(bytes);
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(kinds(model), (std::vector<std::string>{"none", "rope", "none", "rope"}));
}

TEST(GgufModel, RecurrentLayers) {
  const GgufBytes bytes =
      sized("qwen3next").array<uint8_t>("qwen3next.attention.recurrent_layers", 7, {0, 1, 1, 0});
  EXPECT_EQ(kinds(read_gguf(bytes)), (std::vector<std::string>{"rope", "none", "none", "rope"}));
  const GgufBytes interval = sized("qwen3next").u32("qwen3next.full_attention_interval", 2);
  EXPECT_EQ(kinds(read_gguf(interval)), (std::vector<std::string>{"none", "rope", "none", "rope"}));
}

TEST(GgufModel, LayersOfUnlikeHeadsAreNamed) {
  const GgufBytes bytes =
      sized("llama").array<int32_t>("llama.attention.head_count_kv", 5, {4, 2, 4, 4});
  EXPECT_THAT(read_gguf(bytes).warnings,
              testing::Contains(testing::HasSubstr("head_count_kv: the layers differ")));
}

TEST(GgufModel, G20_ScalingTypes) {
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
TEST(GgufModel, AsLlamaCppSavesIt) {
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
TEST(GgufModel, RopeTensorsOfAnotherPart) {
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

// sliding_window 0: no layer has one, and all rotate alike.
TEST(GgufModel, NoWindow) {
  EXPECT_EQ(kinds(read_gguf(sized("llama4"))),
            (std::vector<std::string>{"rope", "rope", "rope", "none"}));
  EXPECT_EQ(kinds(read_gguf(sized("llama4").u32("llama4.attention.sliding_window", 0))),
            std::vector<std::string>(4, "rope"));
  GgufBytes gemma = sized("gemma3").f32("gemma3.rope.freq_base", 1e6);
  gemma.u32("gemma3.attention.sliding_window", 0);
  for (const auto& layer : read_gguf(gemma).layers) {
    EXPECT_EQ(std::get<RopeConfig>(layer).rope_theta, 1e6);
  }
}

// YaRN is for the layers that see all (src/models/laguna.cpp).
TEST(GgufModel, WindowedLayersOfLagunaAreNotScaled) {
  GgufBytes bytes = sized("laguna").text("laguna.rope.scaling.type", "yarn");
  bytes.f32("laguna.rope.scaling.factor", 4).u32("laguna.attention.sliding_window", 64);
  bytes.array<uint8_t>("laguna.attention.sliding_window_pattern", 7, {0, 1, 1, 1});
  const ModelEncoding model = read_gguf(bytes);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[0]).rope_type, "yarn");
  EXPECT_EQ(std::get<RopeConfig>(model.layers[1]).rope_type, "default");
}

TEST(GgufModel, ChatGlmRowsAreNotMoved) {
  EXPECT_THAT(read_gguf(sized("chatglm")).warnings,
              testing::Not(testing::Contains(testing::HasSubstr("rows of Q and K"))));
}

TEST(GgufModel, G21_BadFactor) {
  for (const float factor : {-0.5f, -1.0f}) {
    EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.scaling.factor", factor), malformed,
                      "key \"llama.rope.scaling.factor\": expected a positive number");
  }
  EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.scaling.factor", std::nanf("")), malformed,
                    "llama.rope.scaling.factor\": expected a finite number");
}

// A float32 of the file is the decimal that a config.json had.
TEST(GgufModel, NumbersAreShortestDecimals) {
  GgufBytes bytes = sized("llama");
  bytes.text("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.factor", 1.1f);
  bytes.f32("llama.rope.scaling.yarn_beta_fast", 32.3f);
  EXPECT_EQ(rope_of(read_gguf(bytes)).parameters.at("factor"), 1.1);
  EXPECT_EQ(rope_of(read_gguf(bytes)).parameters.at("beta_fast"), 32.3);
}

// DeepSeek-V2-Lite: a tenth of mscale_all_dim 0.707 is in the file. The factor of cos and sin is 1,
// that of the softmax scale stays.
TEST(GgufModel, LogMultiplierOfDeepSeek) {
  GgufBytes bytes = sized("deepseek2");
  bytes.u32("deepseek2.attention.key_length_mla", 192).u32("deepseek2.rope.dimension_count", 64);
  bytes.text("deepseek2.rope.scaling.type", "yarn").f32("deepseek2.rope.scaling.factor", 40);
  bytes.u32("deepseek2.rope.scaling.original_context_length", 4096);
  bytes.f32("deepseek2.rope.scaling.yarn_log_multiplier", 0.0707f);
  const RopeConfig rope = rope_of(read_gguf(bytes));
  EXPECT_EQ(rope.parameters.at("mscale_all_dim"), 0.707);
  const Spectrum spectrum = make_spectrum(rope);
  EXPECT_EQ(spectrum.attention_scaling, 1);
  EXPECT_NEAR(spectrum.softmax_scale, 0.114721, 1e-6);
}

// Mistral's: mscale_all_dim itself, mscale is 1.
TEST(GgufModel, LogMultiplierOfMistral) {
  GgufBytes bytes = sized("mistral3");
  bytes.text("mistral3.rope.scaling.type", "yarn").f32("mistral3.rope.scaling.factor", 16);
  bytes.f32("mistral3.rope.scaling.yarn_log_multiplier", 1);
  EXPECT_EQ(make_spectrum(rope_of(read_gguf(bytes))).attention_scaling, 1);
}

// llama.cpp divides by ggml's own 1 + 0.1 ln(factor) when it runs; the file has the number itself.
TEST(GgufModel, AttentionFactorOfYarn) {
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

TEST(GgufModel, LongRope) {
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

TEST(GgufModel, S07_RopeFreqsOfLlama3) {
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

TEST(GgufModel, RopeFreqsOfNoKnownScaling) {
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

TEST(GgufModel, RopeFreqsOfPairsThatStandStill) {
  const ModelEncoding model = read_with_tensor(sized("llama"), "rope_freqs.weight",
                                               {1, 1, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f});
  EXPECT_EQ(rope_of(model).rope_type, "proportional");
  EXPECT_EQ(rope_of(model).parameters.at("partial_rotary_factor"), 0.25);
  EXPECT_EQ(rope_of(model).rotary_dim, 16);
}

TEST(GgufModel, G22_BadRopeFreqs) {
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

TEST(GgufModel, G23_Sections) {
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

// Which layers have a window, as an array or as a period; a base of their own.
TEST(GgufModel, Windows) {
  GgufBytes bytes = sized("gemma3").f32("gemma3.rope.freq_base", 1e6);
  const auto bases = [](const ModelEncoding& model) {
    std::vector<double> found;
    for (const auto& layer : model.layers) found.push_back(std::get<RopeConfig>(layer).rope_theta);
    return found;
  };
  bytes.u32("gemma3.attention.sliding_window", 512);
  EXPECT_EQ(bases(read_gguf(bytes)), (std::vector<double>{1e4, 1e4, 1e4, 1e4}));
  GgufBytes period = bytes;
  period.u32("gemma3.attention.sliding_window_pattern", 2);
  EXPECT_EQ(bases(read_gguf(period)), (std::vector<double>{1e4, 1e6, 1e4, 1e6}));
  bytes.f32("gemma3.rope.freq_base_swa", 5000);
  bytes.array<uint8_t>("gemma3.attention.sliding_window_pattern", 7, {0, 1, 1, 0});
  EXPECT_EQ(bases(read_gguf(bytes)), (std::vector<double>{1e6, 5000, 5000, 1e6}));
}

// Gemma 4: heads of their own and another number of channels that turn in layers with a window.
TEST(GgufModel, HeadsOfWindowedLayers) {
  GgufBytes bytes = sized("gemma4").f32("gemma4.rope.freq_base", 1e6);
  bytes.u32("gemma4.attention.key_length", 32).u32("gemma4.attention.key_length_swa", 16);
  bytes.u32("gemma4.rope.dimension_count", 32).u32("gemma4.rope.dimension_count_swa", 16);
  bytes.array<uint8_t>("gemma4.attention.sliding_window_pattern", 7, {1, 1, 1, 0});
  std::vector<float> turning(16, 1e30f);
  for (size_t i = 0; i < 4; ++i) turning[i] = 1;
  const ModelEncoding model = read_with_tensor(bytes, "rope_freqs.weight", turning);
  const auto& windowed = std::get<RopeConfig>(model.layers[0]);
  EXPECT_EQ(windowed.layout.head_dim, 16);
  EXPECT_EQ(windowed.rotary_dim, 16);
  EXPECT_EQ(windowed.rope_theta, 10000);
  EXPECT_EQ(windowed.rope_type, "default");
  const auto& full = std::get<RopeConfig>(model.layers[3]);
  EXPECT_EQ(full.layout.head_dim, 32);
  EXPECT_EQ(full.rotary_dim, 32);
  EXPECT_EQ(full.rope_theta, 1e6);
  EXPECT_EQ(full.rope_type, "proportional");
  EXPECT_EQ(full.parameters.at("partial_rotary_factor"), 0.25);
  const auto missing = testing::Contains(testing::HasSubstr("\"rope_freqs.weight\" is missing"));
  EXPECT_THAT(model.warnings, testing::Not(missing));
  EXPECT_THAT(read_gguf(bytes).warnings, missing);
}

// Half of the head turns in layers that see all, all of it in those with a window.
TEST(GgufModel, FractionsOfWindowedLayers) {
  GgufBytes bytes = sized("laguna").f32("laguna.rope.freq_base", 5e5);
  bytes.u32("laguna.rope.dimension_count", 8).u32("laguna.rope.dimension_count_swa", 16);
  bytes.array<uint8_t>("laguna.attention.sliding_window_pattern", 7, {0, 1, 1, 1});
  const ModelEncoding model = read_gguf(bytes);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[0]).rotary_dim, 8);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[1]).rotary_dim, 16);
  bytes.u32("laguna.attention.key_length", 4);
  EXPECT_GGUF_ERROR(bytes, malformed, "laguna.rope.dimension_count");
}

TEST(GgufModel, UnknownWindowsAreRefused) {
  GgufBytes bytes = sized("llama").f32("llama.rope.freq_base", 5e5);
  bytes.u32("llama.attention.sliding_window", 64);
  EXPECT_EQ(kinds(read_gguf(GgufBytes(bytes).f32("llama.rope.freq_base_swa", 5e5))),
            std::vector<std::string>(4, "rope"));
  EXPECT_GGUF_ERROR(GgufBytes(bytes).f32("llama.rope.freq_base_swa", 1e4), unsupported,
                    "m.gguf: llama.rope.freq_base_swa: ropewalk does not know which layers of a "
                    "llama have a window");
  EXPECT_GGUF_ERROR(bytes.u32("llama.rope.dimension_count_swa", 8), unsupported,
                    "llama.rope.dimension_count_swa");
}

// Granite's hybrids use the key to say that nothing turns.
TEST(GgufModel, GraniteSwitchedOff) {
  const ModelEncoding off =
      read_gguf(sized("granitehybrid").boolean("granitehybrid.rope.scaling.finetuned", 0));
  EXPECT_EQ(kinds(off), std::vector<std::string>(4, "none"));
  const ModelEncoding llama = read_gguf(sized("llama").boolean("llama.rope.scaling.finetuned", 0));
  EXPECT_EQ(kinds(llama), std::vector<std::string>(4, "rope"));
}

TEST(GgufModel, Alibi) {
  const ModelEncoding bloom = read_gguf(sized("bloom"));
  EXPECT_EQ(std::get<AlibiConfig>(bloom.layers[0]).max_bias, 8);
  const ModelEncoding mpt = read_gguf(sized("mpt").f32("mpt.attention.max_alibi_bias", 16));
  EXPECT_EQ(std::get<AlibiConfig>(mpt.layers[0]).max_bias, 16);
  EXPECT_GGUF_ERROR(sized("mpt"), malformed, "mpt.attention.max_alibi_bias");
  EXPECT_EQ(std::get<AlibiConfig>(read_gguf(sized("jina-bert-v2")).layers[0]).form,
            AlibiForm::symmetric);
}

TEST(GgufModel, UnknownArchitecture) {
  EXPECT_GGUF_ERROR(sized("lama"), unsupported,
                    "general.architecture: expected one that ropewalk models lists, found "
                    "\"lama\"; did you mean \"llama\"?");
  EXPECT_EQ(read_gguf(sized("lama"), "qwen2").family, "qwen");
  EXPECT_ROPEWALK_ERROR(read_gguf(sized("lama"), "qwen22"), ErrorCode::invalid_argument, "qwen2");
}

TEST(GgufModel, UnusedKeysOfTheRopeAreNamed) {
  EXPECT_THAT(read_gguf(sized("llama").f32("llama.rope.mystery", 1)).warnings,
              testing::Contains("llama.rope.mystery is not used"));
}

// 0.2 s, more under a sanitizer; it once took 23 s.
TEST(GgufModel, G9_ManyUnusedKeysTakeLinearTime) {
  GgufBytes bytes = sized("llama");
  for (int i = 0; i < 100000; ++i) bytes.u32("llama.rope.mystery" + std::to_string(i), 1);
  const TempFolder folder;
  const auto path = folder.file("m.gguf", bytes.file());
  const std::clock_t start = std::clock();
  const ModelEncoding model = read_gguf_model(path);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 15);
  EXPECT_GE(model.warnings.size(), 100000u);
}

TEST(GgufModel, EitherByteOrder) {
  GgufBytes big;
  big.order = std::endian::big;
  big.text("general.architecture", "llama").u32("llama.embedding_length", 64);
  big.u32("llama.block_count", 4).u32("llama.attention.head_count", 4);
  big.f32("llama.rope.freq_base", 500000);
  EXPECT_EQ(rope_of(read_gguf(big)).rope_theta, 500000);
}

// Whatever a byte becomes, and wherever the file ends, there is a model or an error about the file.
TEST(GgufModel, AnyByteChangedAndAnyLength) {
  const TempFolder folder;
  size_t refused = 0;
  const auto answer = [&](const std::string& bytes) {
    try {
      read_gguf_model(folder.file("m.gguf", bytes));
    } catch (const Error& error) {
      ++refused;
      ASSERT_TRUE(error.code() == ErrorCode::malformed || error.code() == ErrorCode::unsupported ||
                  error.code() == ErrorCode::resource_limit)
          << error.what();
      ASSERT_THAT(error.what(), testing::HasSubstr("m.gguf"));
    }
  };
  for (const char* name : {"llama-3.2-1b", "deepseek-v2-lite", "gemma-3-4b", "mpt-7b"}) {
    const std::filesystem::path path =
        std::filesystem::path(ROPEWALK_TESTDATA) / "models" / name / "model.gguf";
    const std::string bytes = file_bytes(path);
    for (size_t at = 0; at < bytes.size(); ++at) {
      SCOPED_TRACE(std::string(name) + " byte " + std::to_string(at));
      for (const char change : {'\1', '\x80', '\xff'}) {
        std::string other = bytes;
        other[at] = static_cast<char>(other[at] ^ change);
        answer(other);
      }
      answer(bytes.substr(0, at));
    }
  }
  EXPECT_GE(refused, 2000u);
}

// A folder of parts, and one of several models.
TEST(GgufModel, Folders) {
  const TempFolder folder;
  const std::string bytes = sized("llama").file();
  folder.file("m-00001-of-00002.gguf", bytes);
  folder.file("m-00002-of-00002.gguf", "not looked at");
  EXPECT_EQ(read_model(folder.path()).family, "llama");
  folder.file("other.gguf", bytes);
  EXPECT_ROPEWALK_ERROR(read_model(folder.path()), ErrorCode::invalid_argument,
                        "expected a config.json or one GGUF, found 2 of them");
  // Whatever its name is.
  EXPECT_EQ(read_model(folder.file("sha256-abc", bytes)).family, "llama");
  EXPECT_ROPEWALK_ERROR(read_model(folder.file("old", "lmgg\1\0\0\0")), ErrorCode::unsupported,
                        "GGUF");
}

}  // namespace
}  // namespace ropewalk
