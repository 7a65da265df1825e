// The rows C1 to C22 of bad config files that are the same for every family.

#include <fmt/format.h>

#include "ropewalk/models/configs_testing.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::HasSubstr;

ModelEncoding read_text_as_config(const std::string& text) { return read_model_config(text, "c"); }

// A text in place of the value of a key, which JSON itself need not allow.
ModelEncoding read_llama_with(const std::string& key, const std::string& value) {
  ordered_json config = config_of("llama-3-8b");
  config[key] = "MARK";
  std::string text = config.dump();
  text.replace(text.find("\"MARK\""), 6, value);
  return read_text_as_config(text);
}

TEST(BadConfig, C02_ByteOrderMark) {
  const std::string text = config_of("llama-3-8b").dump();
  EXPECT_EQ(read_text_as_config("\xEF\xBB\xBF" + text), read_text_as_config(text));
}

TEST(BadConfig, C03_Utf16) {
  EXPECT_ROPEWALK_ERROR(read_text_as_config(std::string("\xFF\xFE{\0}\0", 6)), ErrorCode::malformed,
                        "not UTF-8");
}

TEST(BadConfig, C04_NotJson) {
  for (const char* text : {"{\"a\": 1,}", "{'a': 1}", "{\"a\": 1} // b"}) {
    EXPECT_ROPEWALK_ERROR(read_text_as_config(text), ErrorCode::malformed, "c: line 1 column ");
  }
}

TEST(BadConfig, NotAnObject) {
  EXPECT_ROPEWALK_ERROR(read_text_as_config("[1, 2]"), ErrorCode::malformed,
                        "c: expected a JSON object, found an array of 2");
}

TEST(BadConfig, C05_InfinityInAnUnusedField) {
  EXPECT_EQ(read_llama_with("time_step_limit", "[0.0, Infinity]").heads, 32);
  EXPECT_EQ(read_llama_with("dropout", "NaN").heads, 32);
}

TEST(BadConfig, C06_InfinityInAUsedField) {
  for (const char* bad : {"NaN", "Infinity", "-Infinity"}) {
    EXPECT_ROPEWALK_ERROR(
        read_llama_with("rope_theta", bad), ErrorCode::malformed,
        fmt::format(
            "c: /rope_theta: expected a number of at least 1 that float32 holds, found \"{}\"",
            bad));
    EXPECT_ROPEWALK_ERROR(read_llama_with("num_attention_heads", bad), ErrorCode::malformed,
                          "c: /num_attention_heads: expected an integer");
  }
  EXPECT_ROPEWALK_ERROR(read_llama_with("rope_theta", "1e999"), ErrorCode::malformed,
                        "/rope_theta: number too large");
}

TEST(BadConfig, C07_DuplicateKey) {
  EXPECT_ROPEWALK_ERROR(read_text_as_config("{\"rope_theta\": 1e4,\n\"rope_theta\": 1e6}"),
                        ErrorCode::malformed, "line 2");
}

TEST(BadConfig, C08_Depth) {
  EXPECT_ROPEWALK_ERROR(read_text_as_config(std::string(100000, '[')), ErrorCode::malformed,
                        "nesting deeper than 64");
}

TEST(BadConfig, C10_ThetaZero) {
  EXPECT_ROPEWALK_ERROR(
      read_llama_with("rope_theta", "0"), ErrorCode::malformed,
      "c: /rope_theta: expected a number of at least 1 that float32 holds, found 0");
}

TEST(BadConfig, C10_ThetaOfWrongValueOrType) {
  for (const char* bad : {"-10000", "1e-30", "\"10000\"", "true", "[10000]", "{}"}) {
    EXPECT_ROPEWALK_ERROR(
        read_llama_with("rope_theta", bad), ErrorCode::malformed,
        "c: /rope_theta: expected a number of at least 1 that float32 holds, found ");
  }
}

TEST(BadConfig, C10_ThetaNullIsTheDefault) {
  const ModelEncoding model = read_llama_with("rope_theta", "null");
  EXPECT_EQ(rope_of(model).rope_theta, 10000);
  EXPECT_EQ(source_of(model, "rope_theta"), "default of LlamaConfig");
}

TEST(BadConfig, C10_ThetaOneWarns) {
  EXPECT_THAT(read_llama_with("rope_theta", "1").warnings,
              Contains("rope_theta is 1: every pair turns at the same speed"));
}

TEST(BadConfig, C11_HiddenSizeNotDivisible) {
  EXPECT_ROPEWALK_ERROR(
      read_llama_with("hidden_size", "4097"), ErrorCode::malformed,
      "c: /hidden_size: expected a multiple of the 32 attention heads, found 4097");
  ordered_json config = config_with("llama-3-8b", "hidden_size", "4097");
  config["head_dim"] = 128;
  EXPECT_EQ(read(config).head_dim, 128);
}

TEST(BadConfig, C12_HeadCounts) {
  for (const char* bad :
       {"0", "-1", "1.5", "\"32\"", "true", "1099511627776", "1e30", "18446744073709551615"}) {
    EXPECT_ROPEWALK_ERROR(read_llama_with("num_attention_heads", bad), ErrorCode::malformed,
                          "c: /num_attention_heads: expected an integer in 1..1048576, found ");
    EXPECT_ROPEWALK_ERROR(read_llama_with("num_key_value_heads", bad), ErrorCode::malformed,
                          "c: /num_key_value_heads: expected an integer in 1..1048576, found ");
  }
  EXPECT_ROPEWALK_ERROR(
      read_llama_with("num_key_value_heads", "5"), ErrorCode::malformed,
      "c: /num_key_value_heads: expected a divisor of the 32 attention heads, found 5");
}

TEST(BadConfig, C13_HeadDim) {
  for (const char* bad : {"0", "63", "1099511627776", "-2", "65538"}) {
    EXPECT_ROPEWALK_ERROR(
        read_llama_with("head_dim", bad), ErrorCode::malformed,
        fmt::format("c: /head_dim: expected an even number in 2..65536, found {}", bad));
  }
}

TEST(BadConfig, C13_R06_OddDerivedHeadDim) {
  ordered_json config = config_of("llama-2-7b");
  config["hidden_size"] = 520;
  config["num_attention_heads"] = config["num_key_value_heads"] = 8;
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed, "found 65 = 520 / 8 heads");
}

TEST(BadConfig, C15_MaxPositions) {
  for (const char* bad : {"0", "-1", "\"8192\"", "0.5"}) {
    EXPECT_ROPEWALK_ERROR(read_llama_with("max_position_embeddings", bad), ErrorCode::malformed,
                          "c: /max_position_embeddings: expected an integer in 1..");
  }
  EXPECT_EQ(read_llama_with("max_position_embeddings", "1e6").max_positions, 1000000);
  EXPECT_EQ(read_llama_with("max_position_embeddings", "1099511627776").max_positions,
            int64_t{1} << 40);
}

TEST(BadConfig, LayerCountIsBounded) {
  EXPECT_ROPEWALK_ERROR(read_llama_with("num_hidden_layers", "2147483648"), ErrorCode::malformed,
                        "c: /num_hidden_layers: expected an integer in 1..4096, found 2147483648");
}

TEST(BadConfig, C16_BlockOfWrongType) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    EXPECT_ROPEWALK_ERROR(read_llama_with(key, "\"linear\""), ErrorCode::malformed,
                          fmt::format("c: /{}: expected an object or null, found \"linear\"", key));
    EXPECT_ROPEWALK_ERROR(read_llama_with(key, "{\"rope_type\": 3}"), ErrorCode::malformed,
                          fmt::format("c: /{}/rope_type: expected a string, found 3", key));
  }
}

// No class tells it either.
ordered_json of_type(std::string_view preset, std::string_view type) {
  ordered_json config = config_with(preset, "model_type", type);
  config.erase("architectures");
  return config;
}

TEST(BadConfig, C21_UnknownModelType) {
  EXPECT_ROPEWALK_ERROR(
      read(of_type("chatglm3-6b", "\"chatgml\"")), ErrorCode::unsupported,
      "config.json: /model_type: expected one that ropewalk models lists, found \"chatgml\"; near "
      "it "
      "is \"chatglm\"; its keys suggest chatglm (kv_channels, multi_query_attention, ");
  EXPECT_ROPEWALK_ERROR(read(of_type("llama-3-8b", "\"mistrall\"")), ErrorCode::unsupported,
                        "near it are \"mistral\", \"mistral4\", \"mistral3\"");
  EXPECT_ROPEWALK_ERROR(read(config_with("llama-3-8b", "model_type", "7")), ErrorCode::malformed,
                        "/model_type: expected a string, found 7");
}

TEST(BadConfig, AssumedTypeWins) {
  const std::string text = config_with("llama-3-8b", "model_type", "\"my_llama\"").dump();
  const ModelEncoding model = read_model_config(text, "c", "llama");
  EXPECT_EQ(without_words(model), without_words(read(config_of("llama-3-8b"))));
  EXPECT_EQ(source_of(model, "model_type"), "assumed, whatever the file says");
  EXPECT_ROPEWALK_ERROR(read_model_config(text, "c", "lama"), ErrorCode::invalid_argument,
                        "expected a model_type that ropewalk models lists, found \"lama\"");
}

TEST(BadConfig, C21_MissingModelType) {
  ordered_json config = config_without("chatglm3-6b", "model_type");
  config.erase("architectures");
  EXPECT_ROPEWALK_ERROR(
      read(config), ErrorCode::malformed,
      "config.json: /model_type: expected one that ropewalk models lists, found no "
      "such key; its keys suggest chatglm (kv_channels, multi_query_attention, ");
  EXPECT_ROPEWALK_ERROR(read(ordered_json::object()), ErrorCode::malformed, "found no such key");
  for (const char* other : {"[\"UnknownForCausalLM\"]", "[]", "[7]", "\"LlamaForCausalLM\""}) {
    config["architectures"] = ordered_json::parse(other);
    EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed, "found no such key");
  }
}

TEST(BadConfig, C22_TextConfigIsPointedAt) {
  EXPECT_ROPEWALK_ERROR(
      read(ordered_json::parse(R"({"model_type":"my_vl","text_config":{"model_type":"llama"}})")),
      ErrorCode::unsupported, "; /text_config is a \"llama\"");
}

TEST(BadConfig, OutsideTextIsEscaped) {
  EXPECT_ROPEWALK_ERROR(
      read_model_config(R"({"model_type": "a\nb\u001b[31m"})", "co\nnfig"), ErrorCode::unsupported,
      "co\\nnfig: /model_type: expected one that ropewalk models lists, found \"a\\nb\\x1b[31m\"");
}

// Whatever a known key holds, the file is read into a layout that makes sense, or refused with a
// message that names the key.
TEST(BadConfig, AnyValueOfAnyKey) {
  const char* values[] = {"null",
                          "true",
                          "false",
                          "0",
                          "1",
                          "-1",
                          "2",
                          "3",
                          "0.5",
                          "1e6",
                          "1e18",
                          "1e300",
                          "-0.0",
                          "9223372036854775807",
                          "9223372036854775808",
                          "\"\"",
                          "\"x\"",
                          "\"NaN\"",
                          "[]",
                          "[1]",
                          "{}",
                          "{\"rope_type\":\"default\"}"};
  for (const Preset& preset : presets()) {
    ordered_json config = config_of(preset.name);
    for (const char* extra :
         {"head_dim", "rope_scaling", "rope_parameters", "partial_rotary_factor"}) {
      config.emplace(extra, nullptr);
    }
    for (const auto& [key, value] : config.items()) {
      for (const char* text : values) {
        ordered_json changed = config;
        changed[key] = ordered_json::parse(text);
        try {
          const ModelEncoding model = read(changed);
          for (const PositionEncoding& layer : layer_positions(model)) {
            if (const auto* rope = std::get_if<RopeConfig>(&layer)) check_layout(rope->layout);
          }
        } catch (const Error& error) {
          EXPECT_TRUE(error.code() == ErrorCode::malformed ||
                      error.code() == ErrorCode::unsupported)
              << error.what();
          EXPECT_THAT(error.what(), testing::StartsWith("config.json: /"));
        }
      }
    }
  }
}

}  // namespace
}  // namespace ropewalk
