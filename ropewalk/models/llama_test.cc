#include <fmt/format.h>

#include "ropewalk/models/configs_testing.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::HasSubstr;

TEST(Llama, Llama3) {
  const ModelEncoding model = read(config_of("llama-3-8b"));
  EXPECT_EQ(model.family, "llama");
  EXPECT_EQ(model.hidden_size, 4096);
  EXPECT_EQ(model.heads, 32);
  EXPECT_EQ(model.kv_heads, 8);
  EXPECT_EQ(model.head_dim, 128);
  EXPECT_EQ(model.max_positions, 8192);
  ASSERT_EQ(model.layers.size(), 32u);
  RopeConfig expected;
  expected.rope_theta = 500000;
  expected.rotary_dim = 128;
  expected.layout = {128, {{0, 128, Pairing::half_split}}};
  for (const PositionEncoding& layer : layer_positions(model)) {
    EXPECT_EQ(layer, PositionEncoding(expected));
  }
  EXPECT_THAT(model.warnings, testing::IsEmpty());
}

TEST(Llama, EvidenceNamesKeyOrDefault) {
  const ModelEncoding model = read(config_of("llama-3-8b"));
  EXPECT_EQ(source_of(model, "rope_theta"), "config.json: /rope_theta");
  EXPECT_EQ(value_of(model, "rope_theta"), "500000");
  EXPECT_EQ(source_of(model, "head_dim"), "derived: hidden_size / num_attention_heads");
  EXPECT_EQ(source_of(model, "family"), "config.json: /model_type");
  EXPECT_EQ(source_of(read(config_of("llama-2-7b")), "rope_theta"), "default of LlamaConfig");
}

TEST(Llama, HeadDimKeyWins) {
  const ModelEncoding model = read(config_with("llama-3-8b", "head_dim", "64"));
  EXPECT_EQ(model.head_dim, 64);
  EXPECT_EQ(rope_of(model).rotary_dim, 64);
  EXPECT_EQ(source_of(model, "head_dim"), "config.json: /head_dim");
}

TEST(Llama, KvHeadsDefaultToHeads) {
  const ModelEncoding model = read(config_without("llama-3-8b", "num_key_value_heads"));
  EXPECT_EQ(model.kv_heads, 32);
  EXPECT_EQ(source_of(model, "kv_heads"), "default of the family: num_attention_heads");
}

TEST(Llama, MaxPositionAliases) {
  ordered_json config = config_of("llama-2-7b");
  config["max_sequence_length"] = 2048;
  EXPECT_THAT(read(config).warnings,
              Contains("/max_position_embeddings says 4096, but /max_sequence_length says 2048: "
                       "the first counts"));
  config.erase("max_position_embeddings");
  EXPECT_EQ(read(config).max_positions, 2048);
  EXPECT_EQ(source_of(read(config), "max_positions"), "config.json: /max_sequence_length");
  config.erase("max_sequence_length");
  EXPECT_EQ(source_of(read(config), "max_positions"), "default of LlamaConfig");
}

// The same model as transformers 4 and as transformers 5 write it. A block that says only "default"
// was taken for a scaling (sgl-project/sglang#14772).
TEST(Llama, B01_C04_BothDialectsSayTheSame) {
  const ModelEncoding expected = without_words(read(config_of("llama-3-8b")));
  for (
      const char* rope : {
          R"({"rope_theta": 500000.0, "rope_scaling": null})",
          R"({"rope_theta": 500000, "rope_scaling": {}})",
          R"({"rope_theta": 5e5, "rope_scaling": {"type": "default"}})",
          R"({"rope_theta": 500000.0, "rope_scaling": {"rope_type": "default"}})",
          R"({"rope_theta": 500000.0, "rope_scaling": {"rope_type": "default", "type": "default"}})",
          R"({"rope_theta": 500000.0, "rope_scaling": {"rope_type": null}})",
          R"({"rope_scaling": {"rope_type": "default", "rope_theta": 500000.0}})",
          R"({"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}})",
          R"({"rope_parameters": {"rope_theta": 500000.0}, "rope_scaling": null})",
          R"({"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "rope_theta": 500000})",
      }) {
    ordered_json config = config_of("llama-3-8b");
    config.erase("rope_theta");
    config.erase("rope_scaling");
    config.update(ordered_json::parse(rope));
    const ModelEncoding model = read(config);
    EXPECT_EQ(without_words(model), expected) << rope;
    EXPECT_THAT(model.warnings, testing::IsEmpty()) << rope;
  }
}

TEST(Llama, B01_ThetaOfRopeParametersIsNamed) {
  ordered_json config = config_without("llama-3-8b", "rope_theta");
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 500000.0}};
  EXPECT_EQ(source_of(read(config), "rope_theta"), "config.json: /rope_parameters/rope_theta");
}

TEST(Llama, B01_TwoDifferentThetas) {
  ordered_json config = config_of("llama-3-8b");
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 10000.0}};
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed,
                        "config.json: /rope_theta: expected 10000 as in config.json: "
                        "/rope_parameters/rope_theta, found 500000");
}

TEST(Llama, C06_UnknownScalingIsRefusedByName) {
  for (const char* block : {"rope_scaling", "rope_parameters"}) {
    for (const char* key : {"rope_type", "type"}) {
      ordered_json config = config_of("llama-3-8b");
      config[block] = {{"factor", 8.0}, {key, "liner"}};
      EXPECT_ROPEWALK_ERROR(
          read(config), ErrorCode::unsupported,
          fmt::format("config.json: /{}/{}: expected one of default, ", block, key));
      EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::unsupported,
                            "found \"liner\"; did you mean \"linear\"?");
    }
  }
}

TEST(Llama, C01_C03_ScalingUnderEitherName) {
  for (const char* block : {"rope_scaling", "rope_parameters"}) {
    for (const char* key : {"rope_type", "type"}) {
      ordered_json config = config_of("llama-3-8b");
      config[block] = {{"factor", 8.0}, {key, "linear"}};
      const ModelEncoding model = read(config);
      EXPECT_EQ(rope_of(model).rope_type, "linear");
      EXPECT_EQ(rope_of(model).parameters.at("factor"), 8);
      EXPECT_EQ(source_of(model, "factor"), fmt::format("config.json: /{}/factor", block));
    }
  }
}

TEST(Llama, C01_MissingParameterIsNamed) {
  EXPECT_ROPEWALK_ERROR(
      read(config_with("llama-3-8b", "rope_scaling", R"({"rope_type": "linear"})")),
      ErrorCode::malformed, "config.json: /rope_scaling/factor: rope_type linear needs ");
}

TEST(Llama, C16_TypesThatDisagree) {
  const ordered_json config =
      config_with("llama-3-8b", "rope_scaling", R"({"rope_type": "default", "type": "linear"})");
  EXPECT_ROPEWALK_ERROR(
      read(config), ErrorCode::malformed,
      "/rope_scaling/type: expected \"default\" as in rope_type, found \"linear\"");
}

TEST(Llama, C16_FactorWithoutType) {
  const ordered_json config = config_with("llama-3-8b", "rope_scaling", R"({"factor": 4.0})");
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed,
                        "/rope_scaling/rope_type: expected the name of a scaling");
}

TEST(Llama, C16_EmptyBlockIsReported) {
  const ModelEncoding model = read(config_with("llama-3-8b", "rope_scaling", "{}"));
  EXPECT_EQ(source_of(model, "rope_type"), "default: /rope_scaling/rope_type is absent");
}

TEST(Llama, UnusedKeysOfABlockAreReported) {
  const ModelEncoding model = read(config_with(
      "llama-3-8b", "rope_scaling", R"({"rope_type": "default", "factor": 8.0, "mystery": [1]})"));
  EXPECT_THAT(model.warnings,
              testing::ElementsAre("/rope_scaling/factor is 8.0, and not used",
                                   "/rope_scaling/mystery is an array of 1, and not used"));
}

TEST(Llama, C22_BlockForEachKindOfLayer) {
  const ordered_json config =
      config_with("llama-3-8b", "rope_parameters",
                  R"({"full_attention": {"rope_type": "default", "rope_theta": 1e6}})");
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::unsupported, "/rope_parameters/full_attention: ");
}

TEST(Llama, PartialRotaryFactorIsIgnoredAloud) {
  const ModelEncoding plain = read(config_of("llama-3-8b"));
  for (const char* text : {R"({"partial_rotary_factor": 0.5})",
                           R"({"rope_parameters": {"partial_rotary_factor": 0.5}})"}) {
    ordered_json config = config_of("llama-3-8b");
    config.update(ordered_json::parse(text));
    const ModelEncoding model = read(config);
    EXPECT_EQ(without_words(model), without_words(plain));
    EXPECT_THAT(model.warnings, Contains(HasSubstr("partial_rotary_factor is 0.5, but")));
  }
}

TEST(Llama, C14_PartialRotaryFactor) {
  for (const char* bad : {"0", "1.5", "-0.5", "\"0.5\"", "true"}) {
    EXPECT_ROPEWALK_ERROR(
        read(config_with("llama-3-8b", "partial_rotary_factor", bad)), ErrorCode::malformed,
        fmt::format("config.json: /partial_rotary_factor: expected a number above "
                    "0 and at most 1, found {}",
                    bad));
  }
}

TEST(Llama, KeysOfOtherFamiliesAreReported) {
  ordered_json config = config_of("llama-3-8b");
  config["rotary_emb_base"] = 1000;
  config["alibi"] = false;
  EXPECT_THAT(
      read(config).warnings,
      testing::ElementsAre("/rotary_emb_base is 1000, but the code of the llama family does "
                           "not read it"));
}

}  // namespace
}  // namespace ropewalk
