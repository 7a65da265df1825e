// Facts that a config once gave wrongly, each a config of its kind and the right value. The values
// are those of the class in transformers 5.24, unless said otherwise.

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/models/gguf_testing.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<double> inv_freq_of(const ModelEncoding& model, size_t layer = 0) {
  return make_spectrum(std::get<RopeConfig>(model.layers.at(layer).positions)).inv_freq;
}

// The layers that rotate.
std::vector<size_t> turning(const ModelEncoding& model) {
  std::vector<size_t> layers;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    if (std::holds_alternative<RopeConfig>(model.layers[i].positions)) layers.push_back(i);
  }
  return layers;
}

TEST(WrongFacts, B01_CrossAttentionOfMllamaDoesNotTurn) {
  const ModelEncoding model = read(small_config(
      "mllama_text_model", R"({"cross_attention_layers": [3], "vocab_size": 128256})"));
  EXPECT_THAT(turning(model), ElementsAre(0, 1, 2, 4, 5, 6, 7));
}

// The scale is what remains of 192 channels alone, or times (0.1 ln 36 + 1)^2.
TEST(WrongFacts, B03_ApplyScaleOfMistralLarge) {
  ordered_json params = ordered_json::parse(R"({"dim": 512, "n_layers": 2, "n_heads": 4,
      "hidden_dim": 1024, "q_lora_rank": 64, "kv_lora_rank": 64, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "v_head_dim": 128, "yarn": {"factor": 36, "beta": 32, "alpha": 1,
      "original_max_position_embeddings": 8192, "apply_scale": false}})");
  EXPECT_NEAR(read(params).layers[0].attention.softmax_scale, 0.0721688, 5e-8);
  params["yarn"]["apply_scale"] = true;
  EXPECT_NEAR(read(params).layers[0].attention.softmax_scale, 0.1331601, 5e-8);
}

// The defaults of ModelArgs in inference/model.py of DeepSeek-V3; the scale there is
// 192^-0.5 (0.1 mscale ln 40 + 1)^2.
TEST(WrongFacts, B04_OwnConfigOfDeepSeek) {
  ordered_json config = ordered_json::parse(R"({"vocab_size": 129280, "dim": 7168, "n_layers": 61,
      "n_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "v_head_dim": 128, "dtype": "fp8"})");
  const ModelEncoding model = read(config);
  EXPECT_EQ(model.family, "deepseek");
  EXPECT_EQ(model.max_positions, 16384);
  EXPECT_NEAR(inv_freq_of(model).back(), 3.3338e-6, 5e-11);
  EXPECT_EQ(make_spectrum(rope_of(model)).attention_scaling, 1);
  EXPECT_NEAR(model.layers[0].attention.softmax_scale, 0.1352337, 5e-7);
  config["mscale"] = 0.707;
  config["q_lora_rank"] = 0;  // the 16B file
  const ModelEncoding small = read(config);
  EXPECT_NEAR(small.layers[0].attention.softmax_scale, 0.1147213, 5e-7);
  EXPECT_EQ(small.layers[0].attention.latent.q_rank, 0);
  config["max_seq_len"] = 4096;
  EXPECT_EQ(rope_of(read(config)).rope_type, "default");
}

// As MLX writes it: the name of the vision tower at the top.
TEST(WrongFacts, B05_TypeOfAPartAtTheTop) {
  ordered_json config = ordered_json::parse(R"({"model_type": "pixtral",
      "architectures": ["LlavaForConditionalGeneration"],
      "text_config": {"model_type": "mistral", "hidden_size": 5120, "head_dim": 128,
                      "num_attention_heads": 32, "num_key_value_heads": 8,
                      "num_hidden_layers": 40, "rope_theta": 1000000000.0},
      "vision_config": {"model_type": "pixtral", "hidden_size": 1024}})");
  for (const bool with_class : {true, false}) {
    const ModelEncoding model = read(config);
    EXPECT_EQ(model.model_type, "mistral") << with_class;
    EXPECT_EQ(model.layers.size(), 40) << with_class;
    EXPECT_EQ(rope_of(model).rope_theta, 1e9) << with_class;
    EXPECT_THAT(model.warnings, Contains(HasSubstr("/model_type is \"pixtral\""))) << with_class;
    config.erase("architectures");
  }
}

TEST(WrongFacts, B16_DbrxAsTransformers5WritesIt) {
  ordered_json config = ordered_json::parse(R"({"model_type": "dbrx", "d_model": 64, "n_heads": 2,
      "n_layers": 2, "max_seq_len": 2048, "attn_config": {"kv_n_heads": 1},
      "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}})");
  const ModelEncoding model = read(config);
  EXPECT_NEAR(inv_freq_of(model)[1], 0.4404, 5e-5);
  EXPECT_EQ(model.kv_heads, 1);
  EXPECT_THAT(model.warnings, IsEmpty());
  config["attn_config"]["rope_theta"] = 10000;
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed,
                        "config.json: /attn_config/rope_theta: expected 500000 as in config.json: "
                        "/rope_parameters/rope_theta, found 10000");
  config.erase("rope_parameters");
  EXPECT_EQ(rope_of(read(config)).rope_theta, 10000);
}

TEST(WrongFacts, B17_PatternOfLaraMini) {
  const ModelEncoding model = read(small_config("lara_mini", R"({"num_hidden_layers": 12})"));
  EXPECT_THAT(turning(model), ElementsAre(1, 4, 6, 9, 11));
  EXPECT_EQ(model.layers[0].mixer, Mixer::recurrence);
  EXPECT_EQ(model.layers[3].mixer, Mixer::attention);
  EXPECT_EQ(model.layers[4].attention.window_left, 511);
}

TEST(WrongFacts, B17_PatternOfLfm3) {
  const ModelEncoding model = read(small_config("lfm3", R"({"num_hidden_layers": 11})"));
  EXPECT_THAT(turning(model), ElementsAre(2, 4, 6, 8, 10));
  EXPECT_EQ(model.layers[0].mixer, Mixer::convolution);
  for (const size_t full : {2, 6, 10}) {
    const auto& rope = std::get<RopeConfig>(model.layers[full].positions);
    EXPECT_EQ(rope.rope_theta, 1000000) << full;
    EXPECT_EQ(rope.rope_type, "proportional") << full;
    EXPECT_EQ(model.layers[full].attention.window_left, -1) << full;
  }
  for (const size_t sliding : {4, 8}) {
    EXPECT_EQ(std::get<RopeConfig>(model.layers[sliding].positions).rope_theta, 10000) << sliding;
    EXPECT_EQ(model.layers[sliding].attention.window_left, 255) << sliding;
  }
}

TEST(WrongFacts, B17_OtherPatternsOfClasses) {
  const ModelEncoding flint = read(small_config("flint", R"({"num_hidden_layers": 9})"));
  EXPECT_THAT(turning(flint), ElementsAre(2, 3, 4, 6, 7));
  const ModelEncoding kimi = read(small_config("kimi_linear"));
  EXPECT_EQ(kimi.layers[0].mixer, Mixer::recurrence);
  EXPECT_EQ(kimi.layers[4].mixer, Mixer::attention);
  const ModelEncoding stated = read(small_config("kimi_linear", R"({"linear_attn_config":
      {"full_attn_layers": [4, 8], "kda_layers": [1, 2, 3, 5, 6, 7]}})"));
  EXPECT_EQ(stated.layers[3].mixer, Mixer::attention);
  EXPECT_EQ(stated.layers[4].mixer, Mixer::recurrence);
  const ModelEncoding zamba =
      read(small_config("zamba2", R"({"num_hidden_layers": 54, "use_mem_rope": true})"));
  EXPECT_THAT(turning(zamba), ElementsAre(6, 12, 18, 24, 30, 36, 42, 47, 51));
}

// attribute_map: a key under another name, where its own is not there.
TEST(WrongFacts, B20_KeysUnderOtherNames) {
  EXPECT_EQ(read(small_config("jetmoe", R"({"head_dim": 64})")).layers[0].head_dim, 64);
  EXPECT_EQ(source_of(read(small_config("jetmoe", R"({"head_dim": 64})")), "head_dim"),
            "config.json: /head_dim");
  EXPECT_EQ(rope_of(read(small_config("glm4_moe_lite", R"({"head_dim": 32})"))).rotary_dim, 32);
}

// vLLM and the code that came with the files; transformers 5.24 turns the whole head.
TEST(WrongFacts, B08_RotaryDimOfMiniMax) {
  const ModelEncoding model =
      read(small_config("minimax", R"({"head_dim": 128, "rotary_dim": 64})"));
  EXPECT_EQ(rope_of(model).rotary_dim, 64);
  EXPECT_EQ(inv_freq_of(model).size(), 32);
  EXPECT_THAT(model.warnings, IsEmpty());
}

TEST(WrongFacts, B18_HeadDimOfDeepSeekOcr2) {
  const ModelEncoding model =
      read(small_config("deepseek_ocr2_text", R"({"hidden_size": 64, "num_attention_heads": 4})"));
  EXPECT_EQ(model.head_dim, 16);
  EXPECT_EQ(source_of(model, "head_dim"), "derived: hidden_size / num_attention_heads");
}

TEST(WrongFacts, B22_SectionsOfQwen2Vl) {
  for (const char* type :
       {"qwen2_vl_text", "qwen2_5_vl_text", "qwen2_5_omni_text", "paddleocr_vl_text"}) {
    EXPECT_THAT(rope_of(read(small_config(type))).mrope_section, ElementsAre(16, 24, 24)) << type;
  }
}

TEST(WrongFacts, B22_BaseOfExaone) {
  EXPECT_EQ(rope_of(read(small_config("exaone"))).rope_theta, 500000);
}

// inv_freq of int(48 * 0.9) = 43 channels: 22 numbers 10000^(-2i/43).
TEST(WrongFacts, B22_AnOddWidthTurnsWithOneMore) {
  const ModelEncoding model =
      read(small_config("moonshine", R"({"hidden_size": 192, "num_attention_heads": 4})"));
  EXPECT_EQ(rope_of(model).rotary_dim, 44);
  const std::vector<double> speeds = inv_freq_of(model);
  ASSERT_EQ(speeds.size(), 22);
  EXPECT_NEAR(speeds[1], 0.6515586, 1e-6);
  EXPECT_NEAR(speeds[21], 1.238863e-4, 1e-9);
  const ModelEncoding mimo = read(small_config("mimo_v2_flash", R"({"head_dim": 16})"));
  EXPECT_EQ(rope_of(mimo).rotary_dim, 6);
  EXPECT_NEAR(inv_freq_of(mimo)[2], 4.373448e-6, 1e-11);
}

// The whole head is the window of a proportional scaling, also where the type turns a part of it.
TEST(WrongFacts, B19_ProportionalInAPartialWindow) {
  const ModelEncoding model = read(small_config("glm4_moe", R"({"head_dim": 32,
      "rope_parameters": {"rope_type": "proportional", "rope_theta": 10000.0,
                          "partial_rotary_factor": 0.5}})"));
  const std::vector<double> speeds = inv_freq_of(model);
  ASSERT_EQ(speeds.size(), 16);
  EXPECT_NEAR(speeds[7], 0.01778279, 1e-8);
  EXPECT_EQ(std::count(speeds.begin() + 8, speeds.end(), 0), 8);
  EXPECT_EQ(value_of(model, "partial_rotary_factor"), "0.5");
}

// Each rotation has its own window, and what the two objects state counts before the top.
TEST(WrongFacts, B19_BlocksOfDeepSeekV4) {
  const ModelEncoding model = read(small_config("deepseek_v4", R"({"head_dim": 128,
      "num_key_value_heads": 1, "compress_rope_theta": 50000, "rope_parameters": {
      "main": {"rope_type": "default", "rope_theta": 10000, "partial_rotary_factor": 0.5},
      "compress": {"rope_type": "default", "rope_theta": 160000, "partial_rotary_factor": 0.25}},
      "layer_types": ["sliding_attention", "compressed_sparse_attention",
                      "heavily_compressed_attention", "sliding_attention", "sliding_attention",
                      "sliding_attention", "sliding_attention", "sliding_attention"]})"));
  ASSERT_EQ(inv_freq_of(model, 0).size(), 32);
  EXPECT_NEAR(inv_freq_of(model, 0)[1], 0.7498942, 1e-7);
  ASSERT_EQ(inv_freq_of(model, 1).size(), 16);
  EXPECT_NEAR(inv_freq_of(model, 1)[1], 0.4728708, 1e-7);
  EXPECT_THAT(model.warnings, Contains(HasSubstr("/compress_rope_theta is 50000, and not used")));
}

TEST(WrongFacts, B12_FractionOfGemma4IsAFact) {
  const ModelEncoding model = read(small_config("gemma4_text"));
  EXPECT_EQ(value_of(model, "full_attention partial_rotary_factor"), "0.25");
  EXPECT_THAT(source_of(model, "full_attention rotary_dim"), HasSubstr("128 channels turn"));
}

// NomicBertDynamicNTKRotaryEmbedding of the code that came with its files.
TEST(WrongFacts, B07_ScalingFactorOfNomic) {
  const ModelEncoding model = read(small_config("nomic_bert", R"({"rotary_emb_base": 1000,
      "rotary_scaling_factor": 2, "max_trained_positions": 2048, "n_positions": 8192})"));
  const RopeConfig& rope = rope_of(model);
  EXPECT_EQ(rope.rope_type, "dynamic");
  EXPECT_EQ(make_spectrum(rope, 2048).inv_freq, make_spectrum(rope, 1).inv_freq);
  // base 1000 * (2 * 8192 / 2048 - 1)^(128/126) = 7219.5
  EXPECT_NEAR(make_spectrum(rope, 8192).inv_freq[63], 1.591391e-4, 1e-8);
}

// No key of a GGUF states the pairs: a type that has no such file takes those of the architecture.
TEST(WrongFacts, B06_PairsOfAnAssumedTypeWithoutGguf) {
  EXPECT_ROPEWALK_ERROR(read_gguf(sized("jetmoe"), "jetmoe"), ErrorCode::unsupported,
                        "general.architecture: expected one whose pairs are known, because a "
                        "jetmoe has no GGUF form that ropewalk models lists; found \"jetmoe\"");
  EXPECT_EQ(rope_of(read_gguf(sized("llama"), "csm")).layout.windows[0].pairing,
            Pairing::interleaved);
}

// The code that came with the first files of Falcon 40B.
TEST(WrongFacts, B09_KvHeadsOfRefinedWeb) {
  ordered_json config = ordered_json::parse(R"({"model_type": "RefinedWeb", "hidden_size": 8192,
      "n_head": 128, "n_head_kv": 8, "n_layer": 60, "alibi": false, "bias": false})");
  for (const char* type : {"RefinedWeb", "RefinedWebModel"}) {
    config["model_type"] = type;
    const ModelEncoding model = read(config);
    EXPECT_EQ(model.kv_heads, 8) << type;
    EXPECT_EQ(model.layers[0].kv_heads, 8) << type;
  }
}

// The class decides, whatever the file says.
TEST(WrongFacts, B14_InterleavedAgainstTheType) {
  const auto warnings = [](const char* type, const char* value) {
    return read(small_config(type, fmt::format(R"({{"rope_parameters": {{"rope_type": "default",
        "rope_theta": 1e6, "mrope_interleaved": {}}}}})",
                                               value)))
        .warnings;
  };
  EXPECT_THAT(warnings("qwen2_vl_text", "true"), Contains(HasSubstr("mrope_interleaved is true")));
  EXPECT_THAT(warnings("qwen3_vl_text", "false"),
              Contains(HasSubstr("mrope_interleaved is false")));
  EXPECT_THAT(warnings("qwen2_vl_text", "false"), IsEmpty());
  EXPECT_THAT(warnings("qwen3_vl_text", "true"), IsEmpty());
}

// A part that transformers writes under its own names.
TEST(WrongFacts, B20_EncoderOfVoxtralAsTransformersWritesIt) {
  const ModelEncoding model = read(ordered_json::parse(
      R"({"model_type": "voxtral_realtime_encoder", "hidden_size": 64, "head_dim": 16,
          "num_attention_heads": 4, "num_hidden_layers": 2})"));
  EXPECT_EQ(model.kv_heads, 4);
}

}  // namespace
}  // namespace ropewalk
