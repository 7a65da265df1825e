// Which layers of Jamba and Nemotron-H attend; none of them knows positions but by what recurs.

#include <string>

#include <gtest/gtest.h>

#include "ropewalk/models/configs_testing.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

// A letter for each layer, as in hybrid_override_pattern; "-" is E, too.
std::string letters(const ModelEncoding& model) {
  std::string text;
  for (const Layer& layer : model.layers) {
    EXPECT_TRUE(std::holds_alternative<NoEncoding>(layer.positions));
    text += layer.mixer == Mixer::attention ? '*' : layer.mixer == Mixer::recurrence ? 'M' : '-';
    EXPECT_EQ(layer.heads > 0, layer.mixer == Mixer::attention);
  }
  return text;
}

// As layer_types of JambaConfig of transformers 5.24 has them.
TEST(Jamba, OneLayerInAPeriodAttends) {
  EXPECT_EQ(letters(read(small_config("jamba"))), "MMMM*MMM");
  // ai21labs/Jamba-v0.1
  const ordered_json published = small_config("jamba", R"({
    "num_hidden_layers": 32, "attn_layer_offset": 4, "attn_layer_period": 8})");
  const ModelEncoding model = read(published);
  EXPECT_EQ(letters(model), "MMMM*MMMMMMM*MMMMMMM*MMMMMMM*MMM");
  EXPECT_EQ(value_of(model, "layer_types"), "4 full_attention, 28 linear_attention");
  EXPECT_EQ(source_of(model, "layer_types"), "config.json: /attn_layer_period");
  EXPECT_EQ(value_of(model, "encoding"), "none");
  EXPECT_EQ(
      letters(read(small_config("jamba", R"({"attn_layer_period": 3, "attn_layer_offset": 0})"))),
      "*MM*MM*M");
  EXPECT_EQ(letters(read(small_config("jamba", R"({"attn_layer_period": 100})"))), "MMMM*MMM");
}

TEST(Jamba, TheOffsetLiesInThePeriod) {
  EXPECT_ROPEWALK_ERROR(
      read(small_config("jamba", R"({"attn_layer_period": 4})")), ErrorCode::malformed,
      "/attn_layer_period: expected the first full_attention layer in 0..3, found 4");
  EXPECT_ROPEWALK_ERROR(read(small_config("jamba", R"({"attn_layer_offset": -1})")),
                        ErrorCode::malformed, "/attn_layer_offset: expected an integer in 0..4095");
}

// The pattern of nvidia/NVIDIA-Nemotron-Nano-9B-v2, a letter for each layer.
TEST(NemotronH, LettersNameTheLayers) {
  const std::string pattern = "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-";
  ordered_json config = small_config("nemotron_h");
  config["num_hidden_layers"] = pattern.size();
  config["hybrid_override_pattern"] = pattern;
  const ModelEncoding model = read(config);
  EXPECT_EQ(letters(model), pattern);
  EXPECT_EQ(value_of(model, "layer_types"), "4 full_attention, 27 linear_attention, 25 mlp");
  EXPECT_EQ(source_of(model, "layer_types"), "config.json: /hybrid_override_pattern");
  EXPECT_EQ(letters(read(small_config(
                "nemotron_h", R"({"num_hidden_layers": 5, "hybrid_override_pattern": "MEM*E"})"))),
            "M-M*-");
}

TEST(NemotronH, AListOfNamesComesFirst) {
  ordered_json config = small_config("nemotron_h", R"({"num_hidden_layers": 4,
    "hybrid_override_pattern": "MMMM", "layers_block_type": ["mlp", "attention", "mamba", "moe"]})");
  EXPECT_EQ(letters(read(config)), "-*M-");
  config.erase("num_hidden_layers");
  config["layers_block_type"] = {"full_attention", "linear_attention", "moe"};
  EXPECT_EQ(letters(read(config)), "*M-");
  config["layer_types"] = config["layers_block_type"];
  config.erase("layers_block_type");
  config["num_hidden_layers"] = 3;
  EXPECT_EQ(letters(read(config)), "*M-");
  EXPECT_EQ(letters(read(small_config("nemotron_h"))), "M-*-M-*-") << "the list of the class";
}

TEST(NemotronH, EachLayerHasItsLetter) {
  const auto refused = [](const char* keys, ErrorCode code, const std::string& text) {
    EXPECT_ROPEWALK_ERROR(read(small_config("nemotron_h", keys)), code, text);
  };
  refused(R"({"hybrid_override_pattern": "M-M*"})", ErrorCode::malformed,
          "/hybrid_override_pattern: expected 8 entries, one for each layer, found 4");
  refused(R"({"hybrid_override_pattern": "M-M*M-MX"})", ErrorCode::unsupported,
          "/hybrid_override_pattern: expected layers of the letters *, M, -, E, found \"X\"");
  refused(R"({"layers_block_type": ["moe", "mamba"]})", ErrorCode::malformed,
          "/layers_block_type: expected 8 entries, one for each layer, found 2");
  refused(R"({"hybrid_override_pattern": 5})", ErrorCode::malformed, "/hybrid_override_pattern");
}

// A class's own rope block holds where the file has none: its bases before a key at the top, the
// trained length at the top before its own.
TEST(DefaultRope, CountsBesideKeysAtTheTop) {
  const ModelEncoding gemma = read(small_config("gemma4_text", R"({"rope_theta": 500000})"));
  EXPECT_EQ(std::get<RopeConfig>(gemma.layers.front().positions).rope_theta, 10000);
  EXPECT_EQ(std::get<RopeConfig>(gemma.layers.back().positions).rope_theta, 1000000);
  EXPECT_THAT(gemma.warnings,
              testing::Contains(testing::HasSubstr("/rope_theta is 500000, and not")));
  const ModelEncoding oss =
      read(small_config("gpt_oss", R"({"original_max_position_embeddings": 2048})"));
  EXPECT_EQ(rope_of(oss).parameters.at("original_max_position_embeddings"), 2048);
  EXPECT_EQ(rope_of(oss).parameters.at("factor"), 32);
}

// The last layer sees everything whatever the letters say: the docstring of Exaone4Config.
TEST(Exaone4, LettersRepeat) {
  const auto windows = [](const char* keys) {
    std::string text;
    for (const Layer& layer : read(small_config("exaone4", keys)).layers) {
      text += layer.attention.window_left < 0 ? 'G' : 'L';
    }
    return text;
  };
  EXPECT_EQ(windows(R"({"sliding_window_pattern": "LLLG"})"), "LLLGLLLG");
  EXPECT_EQ(windows(R"({"sliding_window_pattern": "LLG"})"), "LLGLLGLG");
  EXPECT_EQ(windows(R"({"sliding_window_pattern": "LLLLLLLLLLLG"})"), "LLLLLLLG");
  EXPECT_EQ(windows(R"({"sliding_window_pattern": 2})"), "LGLGLGLG");
  EXPECT_ROPEWALK_ERROR(
      windows(R"({"sliding_window_pattern": "LLX"})"), ErrorCode::unsupported,
      "/sliding_window_pattern: expected layers of the letters G, L, found \"X\"");
  EXPECT_ROPEWALK_ERROR(windows(R"({"sliding_window_pattern": ""})"), ErrorCode::malformed,
                        "/sliding_window_pattern: expected 8 entries, one for each layer, found 0");
}

}  // namespace
}  // namespace ropewalk
