// What the fixtures of several axes and of layers with bases of their own do not say.

#include <gtest/gtest.h>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/positions/grid.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

const RopeConfig& rope_of(const PositionEncoding& encoding) {
  return std::get<RopeConfig>(encoding);
}

ordered_json small(const char* model_type) {
  return {{"model_type", model_type}, {"hidden_size", 256}, {"num_attention_heads", 4},
          {"num_key_value_heads", 4}, {"head_dim", 64},     {"num_hidden_layers", 5}};
}

TEST(LayerBases, ZeroIsALayerThatDoesNotTurn) {
  ordered_json config = small("granite_swa");
  config["layer_rope_theta"] = {0, 10000, 500000.0, 0, 10000};
  const ModelEncoding model = read(config);
  EXPECT_TRUE(std::holds_alternative<NoEncoding>(model.layers[0].positions));
  EXPECT_EQ(rope_of(model.layers[1].positions).rope_theta, 10000);
  EXPECT_EQ(rope_of(model.layers[2].positions).rope_theta, 500000);
  EXPECT_TRUE(std::holds_alternative<NoEncoding>(model.layers[3].positions));
  config["layer_rope_theta"] = {0, 10000};
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed, "expected 5 entries");
  config["layer_rope_theta"] = {0, 1, 1, 0.5, 1};
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed, "0 or a number of at least 1");
}

// One in four, counted from the last.
TEST(LayerBases, MuseWithoutTheList) {
  const ModelEncoding model = read(small("muse_glimmer_text"));
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(std::holds_alternative<NoEncoding>(model.layers[i].positions), i == 0 || i == 4) << i;
  }
}

TEST(Step, LayersOfAKindMustAgree) {
  ordered_json config = small("step3p5");
  config["layer_types"] = {"full_attention", "sliding_attention", "sliding_attention",
                           "full_attention", "sliding_attention"};
  config["rope_theta"] = {5e6, 1e4, 1e4, 5e6, 1e4};
  config["partial_rotary_factors"] = {0.5, 1.0, 1.0, 0.5, 1.0};
  const ModelEncoding model = read(config);
  EXPECT_EQ(rope_of(model.layers[3].positions).rope_theta, 5e6);
  EXPECT_EQ(rope_of(model.layers[3].positions).rotary_dim, 32);
  EXPECT_EQ(rope_of(model.layers[4].positions).rotary_dim, 64);
  config["rope_theta"][4] = 2e4;
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::unsupported,
                        "expected 10000 for layer 4 as for layer 1");
  config["rope_theta"] = {5e6, 1e4};
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed, "expected 5 entries");
}

// HunyuanOCR's file, with its four sections.
TEST(HunYuanVl, FourAxesShareAFixedBase) {
  ordered_json config = small("hunyuan_vl");
  config["head_dim"] = 128;
  config["rope_scaling"] = {
      {"type", "xdrope"}, {"alpha", 1000.0}, {"xdrope_section", {16, 16, 16, 16}}};
  const ModelEncoding model = read(config);
  const Spectrum spectrum = make_spectrum(rope_of(model.layers[0].positions));
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(spectrum.axis[i], static_cast<int32_t>(i / 16));
  EXPECT_NEAR(spectrum.inv_freq[1], std::pow(10000 * std::pow(1000, 128.0 / 126), -2.0 / 128),
              1e-7);
}

TEST(Vision, TheTowerOfAModelIsThatOfItsOwnFile) {
  const ordered_json tower = {{"model_type", "llama4_vision_model"},
                              {"hidden_size", 1408},
                              {"num_attention_heads", 16},
                              {"num_hidden_layers", 34},
                              {"rope_theta", 10000}};
  const ordered_json config = {
      {"model_type", "llama4"}, {"text_config", small("llama4_text")}, {"vision_config", tower}};
  const ModelEncoding model = read(config);
  ASSERT_EQ(model.others.size(), 2u);  // the rotation, and a learned table
  EXPECT_EQ(model.others[0].encoding, read(tower).layers[0].positions);
  EXPECT_EQ(rope_of(model.others[0].encoding).layout,
            (RotaryLayout{88, {{0, 88, Pairing::interleaved}}}));
}

TEST(Vision, OnlyPixtralsTowerTurns) {
  ordered_json config = {{"model_type", "mistral3"},
                         {"text_config", small("mistral")},
                         {"vision_config",
                          {{"model_type", "pixtral"},
                           {"hidden_size", 1024},
                           {"num_attention_heads", 16},
                           {"head_dim", 64}}}};
  const ModelEncoding model = read(config);
  ASSERT_EQ(model.others.size(), 1u);
  EXPECT_EQ(rope_of(model.others[0].encoding).mrope_order, MropeOrder::strided);
  config["vision_config"]["model_type"] = "siglip_vision_model";
  EXPECT_TRUE(read(config).others.empty());
}

// The position ids that transformers' towers give to their rotary embedding, for a picture of 4 x 6
// patches: tools/reference/make_position_fixtures.py.
TEST(Vision, PatchesAreNumberedAsTheTowerDoes) {
  const ordered_json all = testing::json_fixture("positions").at("patches");
  EXPECT_EQ(all.at("cases").size(), 10u);
  for (const ordered_json& item : all.at("cases")) {
    const ModelEncoding model = read(item.at("config"));
    SCOPED_TRACE(model.model_type);
    ASSERT_TRUE(model.patches);
    const ordered_json& grid = item.contains("grid") ? item.at("grid") : all.at("grid");
    const VisionGrid one[] = {
        {grid[0].get<int64_t>(), grid[1].get<int64_t>(), grid[2].get<int64_t>()}};
    std::vector<int64_t> ids;
    for (const ordered_json& axis : item.at("ids")) {
      for (const ordered_json& id : axis) ids.push_back(id.get<int64_t>());
    }
    EXPECT_EQ(patch_positions(one, *model.patches).ids, ids);
  }
}

// How get_rope_index of transformers counts: tools/reference/make_position_fixtures.py.
TEST(Vision, TheTokensOfPicturesAreCountedAsTheModelDoes) {
  const ordered_json all = testing::json_fixture("positions").at("mrope");
  for (const auto& [name, rules] : all.items()) {
    SCOPED_TRACE(name);
    const std::string type = name == "qwen2_5_vl_25" ? "qwen2_5_vl" : name;
    ordered_json vision = {{"embed_dim", 64}, {"hidden_size", 64}, {"num_heads", 2}};
    for (const char* key : {"temporal_merge_size", "tokens_per_second"}) {
      if (rules.contains(key)) vision[key] = rules[key];
    }
    ordered_json text = {{"model_type", type + "_text"}};
    if (type == "glm4v") text["partial_rotary_factor"] = 0.5;  // its sections are of half a head
    const ModelEncoding model =
        read({{"model_type", type}, {"text_config", text}, {"vision_config", vision}});
    EXPECT_EQ(model.mrope,
              (MropeRules{.temporal_merge = rules.value("temporal_merge_size", int64_t{1}),
                          .tokens_per_second = rules.value("tokens_per_second", 0.0),
                          .frames_apart = rules.value("frames_apart", false)}));
  }
}

// PaddleOCR-VL's patches come row by row, and four of them are a token all the same.
TEST(Vision, TokensMergeWherePatchesDoNot) {
  const ModelEncoding model =
      read({{"model_type", "paddleocr_vl"},
            {"text_config", {{"model_type", "paddleocr_vl_text"}}},
            {"vision_config", {{"hidden_size", 64}, {"num_attention_heads", 2}}}});
  EXPECT_EQ(model.patches, PatchGrid{});
  EXPECT_EQ(model.mrope, MropeRules{});
  EXPECT_EQ(value_of(model, "vision merge"), "2");
}

TEST(Vision, TheFileSaysTheMerge) {
  ordered_json text = small("qwen2_vl_text");
  text["head_dim"] = 128;
  ordered_json config = {
      {"model_type", "qwen2_vl"},
      {"text_config", text},
      {"vision_config", {{"model_type", "qwen2_vl"}, {"embed_dim", 64}, {"num_heads", 2}}}};
  EXPECT_EQ(read(config).patches, (PatchGrid{.merge = 2}));
  config["vision_config"]["spatial_merge_size"] = 3;
  EXPECT_EQ(read(config).patches, (PatchGrid{.merge = 3}));
  EXPECT_EQ(read(small("llama")).patches, std::nullopt);
  EXPECT_EQ(read({{"model_type", "video_llama_3_vision"}}).patches, (PatchGrid{.merge = 0}));
}

TEST(Vision, WhatIsNoRotationByIntegersIsRefusedWithTheReason) {
  EXPECT_ROPEWALK_ERROR(read({{"model_type", "dinov3_vit"}}), ErrorCode::unsupported,
                        "on n rows, the position 2i + 1 - n of row i");
  EXPECT_ROPEWALK_ERROR(read({{"model_type", "vjepa2"}}), ErrorCode::unsupported, "no rotation");
}

TEST(Diffusion, WrongConfigsAreNamed) {
  ordered_json config = {{"_class_name", "FluxTransformer2DModel"},
                         {"num_attention_heads", 4},
                         {"attention_head_dim", 32},
                         {"num_layers", 2},
                         {"num_single_layers", 3},
                         {"axes_dims_rope", {4, 14, 14}}};
  EXPECT_EQ(read(config).layers.size(), 5u);
  EXPECT_EQ(read(config).family, "black_forest_labs");
  config["axes_dims_rope"] = {4, 16, 14};
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::malformed,
                        "/axes_dims_rope: expected even channels for each axis, 32 together");
  config["_class_name"] = "FluxTransformer3DModel";
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::unsupported, "/_class_name: expected one that");
  config["_class_name"] = "CogVideoXTransformer3DModel";
  EXPECT_ROPEWALK_ERROR(read(config), ErrorCode::unsupported, "use_rotary_positional_embeddings");
}

// As transformers 5 saves them: kinds are named, and layers counted by a list only.
TEST(NoPositions, KindsMayBeNamed) {
  ordered_json kimi = small("kimi_linear");
  kimi["layer_types"] = {"linear_attention", "linear_attention", "linear_attention",
                         "full_attention", "linear_attention"};
  ordered_json nemotron = small("nemotron_h");
  nemotron.erase("num_hidden_layers");
  nemotron["layers_block_type"] = {"mamba", "moe", "attention"};
  EXPECT_EQ(read(nemotron).layers.size(), 3u);
  for (const ModelEncoding& model : {read(kimi), read(nemotron)}) {
    for (const PositionEncoding& layer : layer_positions(model)) {
      EXPECT_TRUE(std::holds_alternative<NoEncoding>(layer));
    }
  }
}

}  // namespace
}  // namespace ropewalk
