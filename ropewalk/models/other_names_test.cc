// Names that publishers, vLLM and MLX use beside the model_type that has a row.

#include "ropewalk/conventions/other_names.h"

#include <set>
#include <string>

#include "ropewalk/conventions/family.h"
#include "ropewalk/models/configs_testing.h"
#include "ropewalk/models/gguf_testing.h"

namespace ropewalk {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

ModelEncoding read(const nlohmann::ordered_json& config) {
  return read_model_config(config.dump(), "config.json");
}

// The layers of a model, whatever names and evidence say.
std::vector<Layer> layers(const nlohmann::ordered_json& config) { return read(config).layers; }

TEST(OtherNames, EachIsOfARowAndNoRowItself) {
  std::set<std::string_view> rows, architectures, gguf;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      rows.insert(type.name);
      architectures.insert(type.architecture);
      gguf.insert(type.gguf.architecture);
    }
  }
  const auto check = [&](std::span<const OtherName> names,
                         const std::set<std::string_view>& taken) {
    std::set<std::string_view> seen;
    for (const OtherName& other : names) {
      EXPECT_TRUE(seen.insert(other.name).second) << other.name << " is there twice";
      EXPECT_FALSE(taken.contains(other.name)) << other.name;
      EXPECT_TRUE(rows.contains(other.model_type)) << other.name << " " << other.model_type;
    }
  };
  check(other_model_types(), rows);
  check(other_architectures(), architectures);
  check(other_gguf_architectures(), gguf);
}

// Of an architecture that turns, the pairs must be known.
TEST(OtherNames, AnArchitectureThatTurnsHasItsPairs) {
  for (const OtherName& other : other_gguf_architectures()) {
    const KnownType known = find_model_type(other.model_type);
    ASSERT_NE(known.type, nullptr);
    if (may_rotate(*known.type)) {
      EXPECT_FALSE(known.type->gguf.architecture.empty()) << other.name;
    }
  }
}

TEST(OtherNames, AreReadAsTheRow) {
  const ModelEncoding model =
      read(small_config("d1", R"({"text_config": {"model_type": "lfm2"}})"));
  EXPECT_EQ(model.family, "liquid");
  EXPECT_EQ(layers(small_config("dots_ocr")), layers(small_config("qwen2")));
  const ModelEncoding mimo = read(small_config("mimo_v2"));
  EXPECT_EQ(mimo.model_type, "mimo_v2_flash");
  bool told = false;
  for (const Evidence& fact : mimo.evidence) {
    told = told || (fact.field == "model_type" && fact.value == "mimo_v2_flash" &&
                    fact.source == R"(config.json: /model_type: "mimo_v2" is another name of it)");
  }
  EXPECT_TRUE(told);
}

TEST(OtherNames, TheClassTellsATypeThatIsNotKnown) {
  const ModelEncoding model =
      read(small_config("no_such_type", R"({"architectures": ["Qwen3ForCausalLM"]})"));
  EXPECT_EQ(model.model_type, "qwen3");
  EXPECT_THAT(
      model.warnings,
      Contains(HasSubstr(R"(/model_type "no_such_type" is not known; the family is told by )"
                         R"(/architectures/0, "Qwen3ForCausalLM")")));
  const auto of_head = read(small_config("mine", R"({"architectures": ["BertForMaskedLM"]})"));
  EXPECT_EQ(of_head.model_type, "bert");
  EXPECT_ROPEWALK_ERROR(read(small_config("mine", R"({"architectures": ["NoSuchModel"]})")),
                        ErrorCode::unsupported, "\"mine\"");
}

// OpenGVLab/InternVL2-8B
TEST(OtherNames, InternVlChatKeepsItsTextInLlmConfig) {
  const ModelEncoding model = read(nlohmann::ordered_json::parse(R"({
    "model_type": "internvl_chat", "architectures": ["InternVLChatModel"],
    "llm_config": {"model_type": "qwen2", "hidden_size": 896, "num_attention_heads": 14,
      "num_key_value_heads": 2, "num_hidden_layers": 2, "rope_theta": 1000000.0},
    "vision_config": {"model_type": "intern_vit_6b", "image_size": 448, "patch_size": 14,
      "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24}})"));
  ASSERT_EQ(model.layers.size(), 2u);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[0].positions).rope_theta, 1000000);
  bool vision = false;
  for (const NamedEncoding& other : model.others) {
    const auto* table = std::get_if<LearnedConfig>(&other.encoding);
    if (table == nullptr) continue;
    EXPECT_EQ(table->rows, 32 * 32 + 1);
    EXPECT_EQ(table->d_model, 1024);
    vision = true;
  }
  EXPECT_TRUE(vision);
}

// nvidia/Llama-3_1-Nemotron-51B-Instruct: 8 groups, 16 groups, no attention, a linear layer.
nlohmann::ordered_json nemotron(const std::string& blocks) {
  return small_config("nemotron-nas", R"({"num_key_value_heads": null, "num_hidden_layers": 3,
    "rope_theta": 500000.0, "block_configs": )" +
                                          blocks + "}");
}
TEST(NemotronNas, EachLayerHasHeadsOfItsOwnOrNone) {
  const ModelEncoding model = read(nemotron(R"([{"attention": {"n_heads_in_group": 2}},
    {"attention": {"n_heads_in_group": 4, "no_op": false}},
    {"attention": {"n_heads_in_group": null, "no_op": true}}])"));
  ASSERT_EQ(model.layers.size(), 3u);
  EXPECT_EQ(model.layers[0].kv_heads, 2);
  EXPECT_EQ(model.layers[1].kv_heads, 1);
  EXPECT_EQ(model.layers[2].mixer, Mixer::none);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[1].positions).rope_theta, 500000);
  EXPECT_ROPEWALK_ERROR(read(nemotron("[]")), ErrorCode::malformed,
                        "expected an entry for each of 3 layers, found 0");
  EXPECT_ROPEWALK_ERROR(read(nemotron(R"([{"attention": {"n_heads_in_group": 3}},
    {"attention": {}}, {"attention": {}}])")),
                        ErrorCode::malformed, "expected a divisor of the 4 attention heads");
}

// What mlx-lm's modules do, on small files.
TEST(BesideTransformers, RowsSayWhatTheCodeDoes) {
  const auto rope = [](const nlohmann::ordered_json& config, size_t layer = 0) {
    return std::get<RopeConfig>(read(config).layers.at(layer).positions);
  };
  EXPECT_TRUE(rope(small_config("talkie")).reversed);
  EXPECT_EQ(rope(small_config("lille-130m")).layout.windows[0].pairing, Pairing::interleaved);
  EXPECT_EQ(rope(small_config("bailing_moe", R"({"partial_rotary_factor": 0.5})")).rotary_dim, 64);
  EXPECT_EQ(rope(small_config("bailing_moe", R"({"rotary_dim": 32})")).rotary_dim, 32);
  EXPECT_EQ(rope(small_config("plamo3"), 0).rope_theta, 10000);
  EXPECT_EQ(rope(small_config("plamo3"), 7).rope_theta, 1000000);
  EXPECT_EQ(rope(small_config("iquestloopcoder")).rope_theta, 500000);
}

TEST(GgufWithoutRotation, ALearnedTableIsTheAnswer) {
  const ModelEncoding model = read_gguf(sized("gpt2"));
  EXPECT_TRUE(model.layers.empty());
  ASSERT_EQ(model.others.size(), 1u);
  EXPECT_EQ(std::get<LearnedConfig>(model.others[0].encoding),
            (LearnedConfig{.rows = 4096, .d_model = 64, .tensor = "position_embd.weight"}));
}

// The row of bert is that of jina-bert-v2, which has a bias.
TEST(GgufWithoutRotation, BertHasATableAndJinasABias) {
  const ModelEncoding bert = read_gguf(sized("bert"));
  ASSERT_EQ(bert.others.size(), 1u);
  EXPECT_EQ(std::get<LearnedConfig>(bert.others[0].encoding).rows, 4096);
  EXPECT_EQ(kinds(read_gguf(sized("jina-bert-v2"))),
            std::vector<std::string>({"alibi", "alibi", "alibi", "alibi"}));
}

TEST(GgufWithoutRotation, NothingOrBucketsAreAnswersToo) {
  for (const char* name : {"mamba", "rwkv7", "jamba", "nemotron_h_moe", "kimi-linear"}) {
    const ModelEncoding model = read_gguf(sized(name));
    EXPECT_TRUE(model.others.empty()) << name;
    EXPECT_EQ(value_of(model, "encoding"), "none") << name;
  }
  GgufBytes t5 = sized("t5");
  t5.u32("t5.attention.relative_buckets_count", 16);
  const ModelEncoding model = read_gguf(t5);
  ASSERT_EQ(model.others.size(), 2u);
  EXPECT_EQ(std::get<BucketBiasConfig>(model.others[0].encoding),
            (BucketBiasConfig{.heads = 4, .buckets = 16}));
  EXPECT_FALSE(std::get<BucketBiasConfig>(model.others[1].encoding).bidirectional);
}

TEST(GgufWithoutRotation, WhatIsRefusedSaysWhy) {
  EXPECT_GGUF_ERROR(sized("talkie"), unsupported, "signs of the rows of Q and K");
  EXPECT_GGUF_ERROR(sized("dots3note"), unsupported, "general.architecture");
}

TEST(GgufOtherNames, AreReadAsTheRow) {
  const ModelEncoding model = read_gguf(sized("arctic"));
  EXPECT_EQ(model.layers, read_gguf(sized("llama")).layers);
  EXPECT_EQ(model.model_type, "llama");
}

}  // namespace
}  // namespace ropewalk
