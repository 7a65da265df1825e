// Faults that were reported of other programs' readers, each with a config that shows it and the
// value that is right. The frequencies were computed in float64 from the definition.

#include <filesystem>

#include <fmt/format.h>

#include "ropewalk/formats/file.h"
#include "ropewalk/models/configs_testing.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kFolder = std::filesystem::path(ROPEWALK_TESTDATA) / "models";

ordered_json published(const std::string& name) {
  return ordered_json::parse(read_text(kFolder / name / "config.json", 1 << 20));
}

Spectrum spectrum_of(const ModelEncoding& model, int64_t seq_len = 0) {
  return make_spectrum(rope_of(model), seq_len);
}
std::vector<double> unscaled(const RopeConfig& config) {
  RopeConfig plain = config;
  plain.rope_type = "default";
  plain.parameters.clear();
  plain.lists.clear();
  return make_spectrum(plain).inv_freq;
}

// Open-Athena/MarinFold#184: the base stands in the block of transformers 5, a reader that looks
// for it at the top takes 10000 and no scaling, and the loss grows with the length.
TEST(ReportedFaults, B01_BaseAndScalingInsideTheBlock) {
  const char* block = R"("factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                         "original_max_position_embeddings": 8192)";
  const ModelEncoding inside = read(small_config(
      "llama",
      fmt::format(R"({{"rope_parameters": {{"rope_type": "llama3", "rope_theta": 500000, {}}}}})",
                  block)));
  EXPECT_EQ(rope_of(inside).rope_theta, 500000);
  EXPECT_NEAR(683 * unscaled(rope_of(inside))[32], 0.96591, 5e-6);  // with 10000: 6.83
  const ModelEncoding outside = read(small_config(
      "llama",
      fmt::format(R"({{"rope_theta": 500000, "rope_scaling": {{"rope_type": "llama3", {}}}}})",
                  block)));
  EXPECT_EQ(without_words(inside), without_words(outside));
}

// ggml-org/llama.cpp#2768: CodeLlama's base was not read.
TEST(ReportedFaults, B04_BaseOfCodeLlama) {
  const ModelEncoding model = read_model(kFolder / "codellama-7b");
  EXPECT_EQ(rope_of(model).rope_theta, 1e6);
  EXPECT_NEAR(spectrum_of(model).inv_freq[63], 1.240938e-6, 5e-13);
}

// google/gemma.cpp#986, huggingface/nanotron#173: the base of the file was read and a constant
// used. Here a rope_theta that is stated is used, or reported, or contradicts another and is
// refused.
TEST(ReportedFaults, B06_AStatedBaseIsNeverPassedOver) {
  size_t used = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    ordered_json config = published(name);
    ordered_json& part = config.contains("text_config") ? config["text_config"] : config;
    part["rope_theta"] = 123456;
    try {
      const ModelEncoding model = read(config);
      const bool differs = without_words(model) != without_words(read_model(entry.path()));
      EXPECT_TRUE(differs ||
                  testing::Matches(Contains(HasSubstr("rope_theta is 123456")))(model.warnings))
          << name;
      used += differs;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("rope_theta")) << name;
    }
  }
  EXPECT_GE(used, 50u);
}

TEST(ReportedFaults, B06_BothBasesOfGemma3) {
  ordered_json config = published("gemma-3-4b");
  config["text_config"]["rope_theta"] = 500000;
  config["text_config"]["rope_local_base_freq"] = 20000;
  const ModelEncoding model = read(config);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[0].positions).rope_theta, 20000);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[5].positions).rope_theta, 500000);
}

// foundation-model-stack/foundation-model-stack#384: a block of six keys was refused, because old
// readers expect just type and factor.
TEST(ReportedFaults, C01_SixKeysOfLlama31) {
  const ModelEncoding model = read_model(kFolder / "llama-3.1-8b");
  EXPECT_THAT(model.warnings, IsEmpty());
  EXPECT_NEAR(spectrum_of(model).inv_freq[29], 2.166571e-3, 5e-10);
  EXPECT_NEAR(spectrum_of(model).inv_freq[34], 1.785078e-4, 5e-11);
}

// microsoft/onnxruntime-genai#2609: null, "type" alone, "rope_type" alone and both each broke a
// reader. "su" is what the first files called longrope.
TEST(ReportedFaults, C03_FormsOfOneBlock) {
  const std::string lists = fmt::format(R"("short_factor": [{0}], "long_factor": [{0}])",
                                        fmt::join(std::vector<double>(64, 1.5), ", "));
  const auto with = [&](const char* key, const std::string& type) {
    return read(small_config("phi3", fmt::format(R"({{"original_max_position_embeddings": 4096,
        "max_position_embeddings": 131072, "{}": {{{}, {}}}}})",
                                                 key, type, lists)));
  };
  const ModelEncoding expected = with("rope_scaling", R"("type": "longrope")");
  EXPECT_EQ(rope_of(expected).rope_type, "longrope");
  for (const char* block : {"rope_scaling", "rope_parameters"}) {
    for (const char* type : {R"("type": "longrope")", R"("rope_type": "longrope")",
                             R"("type": "su")", R"("type": "su", "rope_type": "longrope")"}) {
      EXPECT_EQ(without_words(with(block, type)), without_words(expected)) << block << type;
    }
    const ModelEncoding none = read(small_config("phi3", fmt::format(R"({{"{}": null}})", block)));
    EXPECT_EQ(rope_of(none).rope_type, "default");
  }
}

// The same, where the block has one for each kind of layer.
TEST(ReportedFaults, C03_FormsOfOneBlockForEachKindOfLayer) {
  const ModelEncoding expected =
      read(small_config("gemma3_text", R"({"rope_scaling": {"type": "linear", "factor": 8}})"));
  EXPECT_EQ(std::get<RopeConfig>(expected.layers[5].positions).rope_type, "linear");
  for (const char* type : {R"("type": "linear")", R"("rope_type": "linear")",
                           R"("type": "linear", "rope_type": "linear")"}) {
    const ModelEncoding model = read(small_config(
        "gemma3_text",
        fmt::format(
            R"({{"rope_parameters": {{"sliding_attention": {{"rope_type": "default", "rope_theta": 1e4}},
                                  "full_attention": {{{}, "factor": 8, "rope_theta": 1e6}}}}}})",
            type)));
    EXPECT_EQ(without_words(model), without_words(expected)) << type;
  }
}

// huggingface/transformers#32167: deepseek-coder's block has "type" only. Linear scaling turns
// position 4 as position 1 was turned, to the bit.
TEST(ReportedFaults, C06_LinearOfDeepSeekCoder) {
  const ModelEncoding model = read_model(kFolder / "deepseek-coder-33b");
  EXPECT_EQ(rope_of(model).rope_theta, 1e5);
  const std::vector<double> scaled = spectrum_of(model).inv_freq;
  const std::vector<double> plain = unscaled(rope_of(model));
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(4 * scaled[i], plain[i]) << i;
}

// MakazhanAlpamys/Soup#793: a scaling that was set after the module was built changed nothing. A
// spectrum is a value: the old one stays, the next one made is another.
TEST(ReportedFaults, C07_AScalingThatIsSetLater) {
  RopeConfig config = rope_of(read(small_config("llama")));
  const Spectrum before = make_spectrum(config);
  const Spectrum copy = before;
  config.rope_type = "linear";
  config.parameters["factor"] = 4;
  EXPECT_NE(make_spectrum(config), before);
  EXPECT_EQ(before, copy);
}

// ggml-org/llama.cpp#12468: MiniCPM's converter took any block for one with lists. The type
// decides what is needed, and what is there in vain is said.
TEST(ReportedFaults, C10_TheTypeDecidesNotThePresence) {
  const ModelEncoding model = read(small_config(
      "minicpm", R"({"rope_scaling": {"type": "dynamic", "factor": 4, "long_factor": [1, 2]}})"));
  EXPECT_EQ(rope_of(model).rope_type, "dynamic");
  EXPECT_THAT(model.warnings, Contains("/rope_scaling/long_factor is an array of 2, and not used"));
  EXPECT_ROPEWALK_ERROR(read(small_config("minicpm", R"({"rope_scaling": {"type": "longrope"}})")),
                        ErrorCode::malformed,
                        "config.json: /rope_scaling/short_factor: rope_type "
                        "longrope needs a list");
}

// antonellof/ferrox#39: the layers with a window of their own were scaled too.
TEST(ReportedFaults, S06_LocalLayersAreNotScaled) {
  const ModelEncoding model = read_model(kFolder / "gemma-3-4b");
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const auto& rope = std::get<RopeConfig>(model.layers[i].positions);
    const bool global = i % 6 == 5;
    EXPECT_EQ(make_spectrum(rope).inv_freq[0], global ? 0.125 : 1) << i;
    EXPECT_EQ(rope.rope_theta, global ? 1e6 : 1e4) << i;
  }
}

// onnxruntime/mobius#548: DeepSeek's second correction, that of the softmax scale, was left out:
// 0.072169 in the place of these.
TEST(ReportedFaults, Y01_SoftmaxScaleOfDeepSeek) {
  const Spectrum lite = spectrum_of(read_model(kFolder / "deepseek-v2-lite"));
  EXPECT_EQ(lite.attention_scaling, 1);
  EXPECT_NEAR(read_model(kFolder / "deepseek-v2-lite").layers[0].attention.softmax_scale, 0.114721,
              5e-7);
  const Spectrum v3 = spectrum_of(read_model(kFolder / "deepseek-v3"));
  EXPECT_EQ(v3.attention_scaling, 1);
  EXPECT_NEAR(read_model(kFolder / "deepseek-v3").layers[0].attention.softmax_scale, 0.135234,
              5e-7);
}

// A scale that no softmax survives: mscale_all_dim 1e30 made it 9.8e57, 1e200 infinite.
TEST(ReportedFaults, G2_SoftmaxScaleIsBounded) {
  nlohmann::ordered_json config =
      nlohmann::ordered_json::parse(read_text(kFolder / "deepseek-v3" / "config.json", 1 << 20));
  for (const double mscale : {1e30, 1e200}) {
    config["rope_scaling"]["mscale"] = config["rope_scaling"]["mscale_all_dim"] = mscale;
    EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed, "expected a softmax scale above 0");
  }
}

// sgl-project/sglang#33558: attention_factor is the amplitude, not a multiple of the derived one,
// which would be its square, 2.2058.
TEST(ReportedFaults, Y04_AttentionFactorOfAFile) {
  const ModelEncoding model = read(small_config("gpt_oss", R"({"rope_scaling": {"rope_type": "yarn",
      "factor": 128, "original_max_position_embeddings": 4096, "attention_factor": 1.4852}})"));
  EXPECT_EQ(spectrum_of(model).attention_scaling, 1.4852);
}

// huggingface/transformers#38224: the factor of the file was replaced by the ratio of the lengths.
TEST(ReportedFaults, Y06_FactorOfAFile) {
  const ModelEncoding model = read(small_config("qwen3", R"({"max_position_embeddings": 40960,
      "rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32768}})"));
  EXPECT_EQ(rope_of(model).parameters.at("factor"), 4);
  EXPECT_NEAR(spectrum_of(model).inv_freq.back() / unscaled(rope_of(model)).back(), 0.25, 1e-7);
}

// pytorch/torchtitan#3787: `truncate` false of gpt-oss was not followed.
TEST(ReportedFaults, Y07_GptOssIsNotTruncated) {
  const std::vector<double> inv_freq = spectrum_of(read_model(kFolder / "gpt-oss-20b")).inv_freq;
  EXPECT_NEAR(inv_freq[9], 3.170570e-2, 1e-8);    // truncated: 3.162075e-2
  EXPECT_NEAR(inv_freq[17], 1.293187e-4, 1e-10);  // truncated: 2.279478e-4
}

// lablup/mlxcel#1324: "dynamic" was taken for a scale of the positions.
TEST(ReportedFaults, N06_DynamicKeepsThePositions) {
  const ModelEncoding model = read(small_config("internlm3", R"({"max_position_embeddings": 32768,
      "rope_theta": 50000000, "rope_scaling": {"rope_type": "dynamic", "factor": 6.0}})"));
  EXPECT_EQ(spectrum_of(model, 32768).inv_freq, unscaled(rope_of(model)));
  EXPECT_NE(spectrum_of(model, 32769).inv_freq, unscaled(rope_of(model)));
  EXPECT_EQ(spectrum_of(read(small_config("internlm3"))).inv_freq[0], 1);
}

// A factor that float32 does not hold, or that no model has: each is refused by its key.
TEST(ReportedFaults, FactorsHaveBounds) {
  const std::pair<const char*, const char*> keys[] = {
      {"granite", "attention_multiplier"},       {"gemma2", "attn_logit_softcapping"},
      {"gemma2", "query_pre_attn_scalar"},       {"olmo", "clip_qkv"},
      {"falcon_h1", "key_multiplier"},           {"llama4_text", "attn_scale"},
      {"mimo_v2_flash", "attention_value_scale"}};
  for (const auto& [type, key] : keys) {
    for (const double value : {1e300, 1e-300}) {
      nlohmann::ordered_json config = small_config(type);
      config[key] = value;
      SCOPED_TRACE(config.dump());
      EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed, key);
    }
  }
}

}  // namespace
}  // namespace ropewalk
