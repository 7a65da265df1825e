#include "ropewalk/models/with_scaling.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ropewalk/formats/file.h"
#include "ropewalk/models/models.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

std::string folder_of(const std::string& name) { return ROPEWALK_TESTDATA "/models/" + name; }

std::string config_text(const std::string& name) {
  return read_text(folder_of(name) + "/config.json", 1 << 20);
}

constexpr const char* kYarn = R"({"rope_type": "yarn", "factor": 4})";

// Qwen2.5-7B is published with and without this block.
TEST(WithScaling, IsTheModelWhoseConfigSaysSo) {
  ordered_json json = ordered_json::parse(config_text("qwen2.5-7b-yarn"));
  ordered_json block = json.at("rope_scaling");
  json.erase("rope_scaling");
  block["rope_type"] = block.at("type");
  block.erase("type");
  const WithScaling with = read_model_with(json.dump(), "config.json", {block.dump()});
  const ModelEncoding published = read_model(folder_of("qwen2.5-7b-yarn"));
  EXPECT_EQ(with.model.layers, published.layers);
  EXPECT_EQ(nlohmann::json::parse(with.keys).at("rope_scaling"),
            nlohmann::json::parse(block.dump()));
  EXPECT_EQ(with.place, "");
}

TEST(WithScaling, KeysGoIntoTheConfigAsTheyAre) {
  for (const char* name : {"llama-3-8b", "gemma-3-4b", "olmo-3-7b", "qwen2-vl-7b", "gpt-neox-20b",
                           "modernbert-base", "mistral-nemo-12b", "llama-3.1-8b"}) {
    const WithScaling with = load_model_with(folder_of(name), {kYarn});
    ordered_json json = ordered_json::parse(config_text(name));
    ordered_json& object = json[ordered_json::json_pointer(with.place)];
    const ordered_json keys = ordered_json::parse(with.keys);
    for (const auto& [key, value] : keys.items()) object[key] = value;
    const ModelEncoding read = read_model_config(json.dump(), "config.json");
    EXPECT_EQ(read.layers, with.model.layers) << name;
    EXPECT_NE(read.layers, read_model(folder_of(name)).layers) << name;
  }
}

// The layers with a window keep their own rotation, as in the model's code.
TEST(WithScaling, LayersTakeItAsThoseOfTheFileWould) {
  for (const char* name : {"gemma-3-4b", "olmo-3-7b"}) {
    const ModelEncoding before = read_model(folder_of(name));
    const ModelEncoding with = load_model_with(folder_of(name), {kYarn}).model;
    for (size_t i = 0; i < with.layers.size(); ++i) {
      const bool windowed = with.layers[i].attention.window_left >= 0;
      EXPECT_EQ(with.layers[i].positions == before.layers[i].positions, windowed) << name << i;
    }
  }
}

TEST(WithScaling, WhatIsNoParameterStays) {
  const WithScaling with = load_model_with(folder_of("qwen2-vl-7b"), {kYarn});
  const auto& rope = std::get<RopeConfig>(with.model.layers[0].positions);
  EXPECT_EQ(rope.mrope_section, (std::vector<int64_t>{16, 24, 24}));
  EXPECT_EQ(rope.rope_type, "yarn");
  EXPECT_EQ(rope.parameters.at("original_max_position_embeddings"), 32768);
  EXPECT_EQ(rope.rope_theta, 1e6);
}

// Llama 3.1 was trained on 8192 positions, whatever its config calls the most.
TEST(WithScaling, TheLengthOfTheFirstTrainingStays) {
  const auto rope_with = [](const char* block) {
    return std::get<RopeConfig>(
        load_model_with(folder_of("llama-3.1-8b"), {block}).model.layers[0].positions);
  };
  EXPECT_EQ(rope_with(kYarn).parameters.at("original_max_position_embeddings"), 8192);
  const RopeConfig longer = rope_with(R"({"factor": 16})");
  EXPECT_EQ(longer.rope_type, "llama3");
  EXPECT_EQ(longer.parameters.at("factor"), 16);
  EXPECT_EQ(longer.parameters.at("low_freq_factor"), 1);
  EXPECT_EQ(rope_with(R"({"rope_type": "default"})").rope_type, "default");
  EXPECT_EQ(rope_with(R"({"rope_theta": 1e6})").rope_theta, 1e6);
  const WithScaling yarn = load_model_with("llama-3-8b", {kYarn});
  EXPECT_EQ(std::get<RopeConfig>(yarn.model.layers[0].positions)
                .parameters.at("original_max_position_embeddings"),
            8192);
}

// The base, under the name that the file has for it.
TEST(WithScaling, ABaseStandsWhereTheFileHasIt) {
  for (const auto& [name, key] : {std::pair("llama-3-8b", "rope_theta"),
                                  {"gpt-neox-20b", "rotary_emb_base"},
                                  {"qwen-7b", "rotary_emb_base"}}) {
    const WithScaling with = load_model_with(folder_of(name), {R"({"rope_theta": 123456})"});
    EXPECT_EQ(std::get<RopeConfig>(with.model.layers[0].positions).rope_theta, 123456) << name;
    const ordered_json keys = ordered_json::parse(with.keys);
    EXPECT_TRUE(keys.size() == 1 && keys.contains(key)) << with.keys;
  }
  EXPECT_ROPEWALK_ERROR(load_model_with(folder_of("chatglm-6b"), {R"({"rope_theta": 123456})"}),
                        ErrorCode::unsupported, "whose code reads none");
}

// The code of DeepSeek makes its own YaRN of it, which changes the scores too.
TEST(WithScaling, ReachesTheSoftmaxScale) {
  const WithScaling with =
      load_model_with(folder_of("deepseek-v2-lite"),
                      {R"({"rope_type": "yarn", "factor": 80, "mscale": 1, "mscale_all_dim": 1})"});
  const auto& rope = std::get<RopeConfig>(with.model.layers[0].positions);
  EXPECT_EQ(rope.rope_type, "deepseek_yarn");
  EXPECT_NEAR(with.model.layers[0].attention.softmax_scale, softmax_factor(rope) / std::sqrt(192.0),
              1e-12);
}

TEST(WithScaling, EvidenceSaysThatItWasGiven) {
  const WithScaling with = load_model_with("llama-3-8b", {kYarn});
  for (const Evidence& evidence : with.model.evidence) {
    if (evidence.field == "factor") EXPECT_EQ(evidence.source, "given: /rope_scaling/factor");
    if (evidence.field == "rope_theta")
      EXPECT_EQ(evidence.source, "preset llama-3-8b: /rope_theta");
  }
}

TEST(WithScaling, AWrongBlockIsRefusedAsInAConfig) {
  const auto refused = [](const char* block, const char* message) {
    EXPECT_ROPEWALK_ERROR(load_model_with("llama-3-8b", {block, "--with"}),
                          ErrorCode::invalid_argument, message);
  };
  refused(R"({"rope_type": "linear"})",
          "/rope_scaling/factor: rope_type linear needs a positive number");
  refused(R"({"rope_type": "yarn", "factor": -4})",
          "/rope_scaling/factor: expected a positive number, found -4");
  refused(R"({"rope_type": "yarn", "factor": "4x"})", "/rope_scaling/factor: expected");
  refused(R"({"rope_type": "yarn", "factor": 4, "beta_fats": 1})",
          "found \"beta_fats\"; did you mean \"beta_fast\"?");
  refused(R"({"rope_type": "yran", "factor": 4})", "rope_type: expected one of default, linear");
  refused(R"({"factor": 4})",
          "--with: rope_type: expected the name of a scaling, because the file has none");
  refused(R"({"beta_fast": 4})", "--with: expected keys that rope_type default reads");
  refused(R"([4])", "expected keys of a rope block, found an array of 1");
  refused("{}", "expected keys of a rope block, found none");
  refused(R"({"rope_type": 5})", "--with: rope_type: expected a name, found 5");
  refused(R"({"rope_type": "longrope", "short_factor": [1], "long_factor": [1]})",
          "expected 64 numbers, one for each pair, found 1");
}

TEST(WithScaling, WhatTakesNoBlockIsRefused) {
  for (const char* name : {"chatglm-6b", "qwen-7b", "mpt-7b", "bloom-560m"}) {
    EXPECT_ROPEWALK_ERROR(load_model_with(folder_of(name), {kYarn}), ErrorCode::unsupported,
                          "expected a model whose layers take a rope block");
  }
  EXPECT_ROPEWALK_ERROR(load_model_with(folder_of("llama-3-8b") + "/model.gguf", {kYarn}),
                        ErrorCode::unsupported, "found a GGUF");
  EXPECT_ROPEWALK_ERROR(load_model_with("llama-3-9b", {kYarn}), ErrorCode::invalid_argument,
                        "neither a file nor a preset");
}

// A rope of no file: that of Llama 2 under the same block, in a layout of its own.
TEST(WithScaling, OfARopeWithoutAFile) {
  RopeConfig plain;
  plain.rotary_dim = 128;
  plain.layout = {256, {{64, 128, Pairing::interleaved}}};
  const WithScaling llama = load_model_with("llama-2-7b", {kYarn});
  const RopeConfig rope = rope_with(plain, {kYarn}, 4096);
  EXPECT_EQ(make_spectrum(rope), make_spectrum(rope_at(llama.model, 0)));
  EXPECT_EQ(rope.layout, plain.layout);
  const std::string its_own =
      R"({"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 4096})";
  EXPECT_EQ(make_spectrum(rope_with(plain, {its_own})), make_spectrum(rope));
}

TEST(WithScaling, OfARopeWithoutAFileIsRefused) {
  RopeConfig plain;
  plain.rotary_dim = 128;
  plain.layout = {128, {{0, 128, Pairing::half_split}}};
  for (const auto& [block, words] :
       {std::pair{kYarn, "expected max_positions or, in the block"},
        {R"({"rope_type": "dynamic", "factor": 4})",
         "expected max_positions, which dynamic depends on"},
        {R"({"rope_type": "default", "mrope_section": [32, 16, 16]})", "expected keys that count"},
        {R"({"rope_type": "linear"})", "factor"}}) {
    EXPECT_ROPEWALK_ERROR(rope_with(plain, {block}), ErrorCode::invalid_argument, words);
  }
}

}  // namespace
}  // namespace ropewalk
