#include "ropewalk/models/configs_testing.h"

namespace ropewalk {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ChatGlm, FirstGenerationHasTwoWindows) {
  const ModelEncoding model = read(config_of("chatglm-6b"));
  EXPECT_EQ(model.family, "chatglm");
  EXPECT_EQ(model.heads, 32);
  EXPECT_EQ(model.kv_heads, 32);
  EXPECT_EQ(model.head_dim, 128);
  EXPECT_EQ(model.max_positions, 2048);
  ASSERT_EQ(model.layers.size(), 28u);
  RopeConfig expected;
  expected.rotary_dim = 64;
  expected.position_axes = 2;
  expected.inv_freq_dtype = DType::f16;
  expected.layout = {128, {{0, 64, Pairing::half_split}, {64, 64, Pairing::half_split}}};
  EXPECT_EQ(rope_of(model), expected);
  EXPECT_EQ(source_of(model, "inv_freq_dtype"), "family: inv_freq.half() in modeling_chatglm.py");
  EXPECT_THAT(model.warnings, Contains(HasSubstr("multiplies position and inv_freq in f16")));
}

TEST(ChatGlm, RevisionOfThePositionRule) {
  EXPECT_THAT(value_of(read(config_of("chatglm-6b")), "position_rule"), HasSubstr("clamped"));
  nlohmann::ordered_json config = config_of("chatglm-6b");
  config["bos_token_id"] = 150004;
  config["vocab_size"] = 150528;
  EXPECT_THAT(value_of(read(config), "position_rule"), HasSubstr("continuing"));
  EXPECT_EQ(source_of(read(config), "position_rule"), "config.json: /bos_token_id");
  config.erase("bos_token_id");
  EXPECT_THAT(value_of(read(config), "position_rule"), HasSubstr("continuing"));
  EXPECT_EQ(source_of(read(config), "position_rule"), "config.json: /vocab_size");
}

TEST(ChatGlm, RevisionsThatDisagreeAreReported) {
  EXPECT_THAT(read(config_with("chatglm-6b", "vocab_size", "150528")).warnings,
              Contains("bos_token_id 130004 goes with a vocab_size of 130528, found 150528"));
  const ModelEncoding model = read(config_with("chatglm-6b", "bos_token_id", "1"));
  EXPECT_EQ(value_of(model, "position_rule"), "unknown");
  EXPECT_THAT(model.warnings, Contains(HasSubstr("neither 130004 nor 150004")));
}

TEST(ChatGlm, OneDimensionalPositionsAreRefused) {
  EXPECT_ROPEWALK_ERROR(read(config_with("chatglm-6b", "position_encoding_2d", "false")),
                        ErrorCode::unsupported, "/position_encoding_2d: ");
  const ModelEncoding model = read(config_without("chatglm-6b", "position_encoding_2d"));
  EXPECT_EQ(source_of(model, "position_encoding_2d"), "default of ChatGLMConfig");
}

TEST(ChatGlm, LaterGenerationsTurnTheFirstHalf) {
  for (const char* preset : {"chatglm2-6b", "chatglm3-6b", "glm-4-9b-chat"}) {
    const ModelEncoding model = read(config_of(preset));
    EXPECT_EQ(model.kv_heads, 2);
    EXPECT_EQ(model.head_dim, 128);
    EXPECT_EQ(rope_of(model).rotary_dim, 64);
    EXPECT_EQ(rope_of(model).position_axes, 1);
    EXPECT_EQ(rope_of(model).inv_freq_dtype, DType::f32);
    EXPECT_EQ(rope_of(model).layout, (RotaryLayout{128, {{0, 64, Pairing::interleaved}}}));
  }
}

TEST(ChatGlm, SizesOfLaterGenerations) {
  EXPECT_EQ(read(config_of("chatglm2-6b")).max_positions, 32768);
  EXPECT_EQ(read(config_of("chatglm3-6b")).max_positions, 8192);
  const ModelEncoding glm4 = read(config_of("glm-4-9b-chat"));
  EXPECT_EQ(glm4.max_positions, 131072);
  EXPECT_EQ(glm4.layers.size(), 40u);
}

TEST(ChatGlm, RopeRatioMultipliesTheBase) {
  EXPECT_EQ(rope_of(read(config_of("chatglm3-6b"))).rope_theta, 10000);
  EXPECT_EQ(source_of(read(config_of("chatglm3-6b")), "rope_ratio"), "default of the family");
  const ModelEncoding glm4 = read(config_of("glm-4-9b-chat"));
  EXPECT_EQ(rope_of(glm4).rope_theta, 5e6);
  EXPECT_EQ(value_of(glm4, "rope_theta"), "5000000");
  EXPECT_EQ(source_of(glm4, "rope_theta"), "derived: 10000 * rope_ratio");
  EXPECT_EQ(source_of(glm4, "rope_ratio"), "config.json: /rope_ratio");
}

TEST(ChatGlm, BadRopeRatios) {
  for (const char* bad : {"0", "-1", "\"500\"", "true", "1e-9", "1e308"}) {
    EXPECT_ROPEWALK_ERROR(read(config_with("glm-4-9b-chat", "rope_ratio", bad)),
                          ErrorCode::malformed, "config.json: /rope_ratio: expected");
  }
}

TEST(ChatGlm, OriginalRopeSaysThePairing) {
  const ModelEncoding model = read(config_with("chatglm3-6b", "original_rope", "false"));
  EXPECT_EQ(rope_of(model).layout, (RotaryLayout{128, {{0, 64, Pairing::half_split}}}));
  EXPECT_EQ(source_of(model, "pairing"), "derived: original_rope is false");
}

TEST(ChatGlm, WithoutGroupsEveryHeadHasItsOwnKeys) {
  EXPECT_EQ(read(config_with("chatglm2-6b", "multi_query_attention", "false")).kv_heads, 32);
  EXPECT_EQ(read(config_without("chatglm2-6b", "multi_query_group_num")).kv_heads, 1);
  EXPECT_ROPEWALK_ERROR(
      read(config_with("chatglm2-6b", "multi_query_group_num", "3")), ErrorCode::malformed,
      "/multi_query_group_num: expected a divisor of the 32 attention heads, found 3");
}

TEST(ChatGlm, OnlyTheSecondGenerationIsWarnedOfHalfPrecisionAngles) {
  const auto half = HasSubstr("2049 turns as 2048");
  EXPECT_THAT(read(config_of("chatglm2-6b")).warnings, Contains(half));
  EXPECT_THAT(read(config_of("chatglm3-6b")).warnings, IsEmpty());
  EXPECT_THAT(read(config_of("glm-4-9b-chat")).warnings, IsEmpty());
  EXPECT_THAT(read(config_with("chatglm2-6b", "torch_dtype", "\"float32\"")).warnings, IsEmpty());
  EXPECT_THAT(read(config_with("chatglm2-6b", "torch_dtype", "7")).warnings, IsEmpty());
}

TEST(ChatGlm, ThetaIsNotRead) {
  EXPECT_THAT(read(config_with("chatglm3-6b", "rope_theta", "7")).warnings,
              Contains(HasSubstr("/rope_theta is 7, but the code of the chatglm family")));
}

TEST(ChatGlm, C13_HeadDim) {
  for (const char* bad : {"0", "126", "1099511627776", "null", "\"128\""}) {
    EXPECT_ROPEWALK_ERROR(
        read(config_with("chatglm3-6b", "kv_channels", bad)), ErrorCode::malformed,
        std::string("/kv_channels: expected a multiple of 4 in 4..65536, found ") + bad);
  }
  nlohmann::ordered_json config = config_of("chatglm-6b");
  config["hidden_size"] = 32 * 6;
  EXPECT_ROPEWALK_ERROR(
      read(config), ErrorCode::malformed,
      "expected a head_dim that is a multiple of 4 (two windows of pairs), found 6");
}

TEST(ChatGlm, GenerationsAreNotMixed) {
  EXPECT_ROPEWALK_ERROR(read(config_with("chatglm-6b", "kv_channels", "128")), ErrorCode::malformed,
                        "expected a key of ChatGLM-6B or one of ChatGLM2 or later, found both ");
  EXPECT_ROPEWALK_ERROR(
      read(nlohmann::ordered_json::parse(
          R"({"model_type":"chatglm","hidden_size":4096,"num_attention_heads":32,"num_layers":28})")),
      ErrorCode::unsupported, "no key tells ChatGLM-6B");
}

}  // namespace
}  // namespace ropewalk
