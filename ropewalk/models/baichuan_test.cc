#include "ropewalk/models/configs_testing.h"

namespace ropewalk {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Baichuan, SevenBillionRotates) {
  const ModelEncoding model = read(config_of("baichuan-7b"));
  EXPECT_EQ(model.family, "baichuan");
  EXPECT_EQ(model.kv_heads, 32);
  EXPECT_EQ(model.max_positions, 4096);
  ASSERT_EQ(model.layers.size(), 32u);
  EXPECT_EQ(rope_of(model).rope_theta, 10000);
  EXPECT_EQ(rope_of(model).layout, (RotaryLayout{128, {{0, 128, Pairing::half_split}}}));
  EXPECT_THAT(model.warnings, testing::IsEmpty());
}

TEST(Baichuan, ThirteenBillionHasAlibi) {
  const ModelEncoding model = read(config_of("baichuan-13b"));
  EXPECT_EQ(model.heads, 40);
  EXPECT_EQ(model.max_positions, 4096);
  EXPECT_EQ(source_of(model, "max_positions"), "config.json: /model_max_length");
  ASSERT_EQ(model.layers.size(), 40u);
  for (const PositionEncoding& layer : layer_positions(model)) {
    EXPECT_EQ(layer, PositionEncoding(
                         AlibiConfig{.heads = 40, .max_bias = 8, .form = AlibiForm::key_position}));
  }
  EXPECT_EQ(value_of(model, "encoding"), "alibi");
  EXPECT_THAT(source_of(model, "encoding"), HasSubstr("inferred from the size"));
}

// Baichuan2-7B writes both names of the context; Baichuan2-13B has another vocabulary only.
TEST(Baichuan, SecondGeneration) {
  nlohmann::ordered_json config = config_of("baichuan-7b");
  config["architectures"] = {"BaichuanForCausalLM"};
  config["model_max_length"] = 4096;
  config["vocab_size"] = 125696;
  config["z_loss_weight"] = 0;
  EXPECT_EQ(without_words(read(config)), without_words(read(config_of("baichuan-7b"))));
  EXPECT_THAT(read(config).warnings, testing::IsEmpty());
}

// ggml-org/llama.cpp#3270: one class, and only the size says that 13B has ALiBi and 7B RoPE.
TEST(Baichuan, A07_WithoutLayers) {
  const ModelEncoding model = read(nlohmann::ordered_json::parse(
      R"({"model_type":"baichuan","hidden_size":5120,"num_attention_heads":40,"model_max_length":4096})"));
  EXPECT_EQ(without_words(model), without_words(read(config_of("baichuan-13b"))));
  EXPECT_EQ(source_of(model, "layers"), "default of BaichuanConfig at this size");
}

TEST(Baichuan, A07_OtherSizesAreNotGuessed) {
  nlohmann::ordered_json config = config_of("baichuan-7b");
  config["hidden_size"] = 2048;
  config["num_attention_heads"] = 16;
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::unsupported,
                        "found 2048 with 16 heads and 32 layers");
  for (const char* key : {"hidden_size", "num_attention_heads", "num_hidden_layers"}) {
    config = config_of("baichuan-13b");
    config[key] = 32;
    EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::unsupported,
                          "config.json: /hidden_size: the size alone says");
  }
}

TEST(Baichuan, ThetaIsNotRead) {
  const ModelEncoding model = read(config_with("baichuan-7b", "rope_theta", "500000"));
  EXPECT_EQ(without_words(model), without_words(read(config_of("baichuan-7b"))));
  EXPECT_THAT(
      model.warnings,
      Contains("/rope_theta is 500000, but the code of the baichuan family does not read it"));
}

TEST(Baichuan, WithoutModelType) {
  const ModelEncoding model = read(config_without("baichuan-7b", "model_type"));
  EXPECT_EQ(without_words(model), without_words(read(config_of("baichuan-7b"))));
  EXPECT_EQ(source_of(model, "family"), "config.json: /architectures/0");
  EXPECT_THAT(model.warnings, Contains("there is no /model_type; the family is told by "
                                       "/architectures/0, \"BaiChuanForCausalLM\""));
}

}  // namespace
}  // namespace ropewalk
