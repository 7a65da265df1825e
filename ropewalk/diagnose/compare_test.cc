#include "ropewalk/diagnose/compare.h"

#include <cmath>
#include <numeric>

#include "ropewalk/models/models.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using ::testing::ElementsAre;
using Level = Difference::Level;

ModelEncoding llama() { return preset("llama-3-8b"); }

RopeConfig& rope(ModelEncoding& model, size_t layer) {
  return std::get<RopeConfig>(model.layers[layer].positions);
}

// All layers turn with another rotation.
template <typename Change>
ModelEncoding with_rope(Change change) {
  ModelEncoding model = llama();
  for (size_t i = 0; i < model.layers.size(); ++i) change(rope(model, i));
  return model;
}

const Difference* find(const Comparison& comparison, const std::string& field) {
  for (const Difference& each : comparison.differences) {
    if (each.field == field) return &each;
  }
  return nullptr;
}

std::vector<size_t> all_layers() {
  std::vector<size_t> layers(32);
  std::iota(layers.begin(), layers.end(), 0);
  return layers;
}

ModelEncoding published(const std::string& name) {
  return read_model(std::string(ROPEWALK_TESTDATA "/models/") + name);
}

TEST(Compare, TheSameModel) {
  const Comparison comparison = compare(llama(), llama());
  EXPECT_TRUE(comparison.alike());
  EXPECT_EQ(comparison, (Comparison{.common_layers = 32}));
  ModelEncoding renamed = llama();
  renamed.name = "mine";
  renamed.evidence.clear();
  renamed.warnings = {"careful"};
  EXPECT_TRUE(compare(llama(), renamed).alike());
}

TEST(Compare, AnotherBase) {
  const ModelEncoding other = with_rope([](RopeConfig& r) { r.rope_theta = 10000; });
  const Comparison comparison = compare(llama(), other);
  ASSERT_EQ(comparison.differences.size(), 1);
  EXPECT_EQ(comparison.differences[0],
            (Difference{Level::config, "rope_theta", 500000.0, 10000.0, all_layers()}));
  ASSERT_EQ(comparison.rotations.size(), 1);
  const RotationDifference& rotation = comparison.rotations[0];
  EXPECT_EQ(rotation.layers, all_layers());
  EXPECT_EQ(rotation.first_pair, 1);
  EXPECT_NEAR(rotation.inv_freq_a, std::pow(500000, -1.0 / 64), 1e-7);
  EXPECT_NEAR(rotation.inv_freq_b, std::pow(10000, -1.0 / 64), 1e-7);
  EXPECT_NEAR(rotation.largest, std::pow(50, 63.0 / 64) - 1, 1e-3) << "of the slowest pair";
  ASSERT_EQ(rotation.cosines.size(), 5);
  EXPECT_EQ(rotation.cosines[0].position, 1);
  EXPECT_NEAR(rotation.cosines[0].cosine, 0.998584, 1e-6);
  EXPECT_FALSE(rotation.cosines[0].moved);
}

TEST(Compare, AScaling) {
  const ModelEncoding other = with_rope([](RopeConfig& r) {
    r.rope_type = "linear";
    r.parameters["factor"] = 4;
  });
  const Comparison comparison = compare(llama(), other);
  ASSERT_EQ(comparison.differences.size(), 2);
  EXPECT_EQ(comparison.differences[0].field, "rope_type");
  EXPECT_EQ(comparison.differences[0].b, FieldValue("linear"));
  EXPECT_EQ(comparison.differences[1].field, "factor");
  EXPECT_EQ(comparison.differences[1].a, FieldValue());
  EXPECT_EQ(comparison.differences[1].b, FieldValue(4.0));
  EXPECT_EQ(comparison.rotations.at(0).first_pair, 0);
  EXPECT_NEAR(comparison.rotations[0].largest, 0.75, 1e-6);
}

TEST(Compare, AnotherPairing) {
  const ModelEncoding other =
      with_rope([](RopeConfig& r) { r.layout.windows[0].pairing = Pairing::interleaved; });
  const Comparison comparison = compare(llama(), other);
  const Difference* pairs = find(comparison, "pairs are");
  ASSERT_NE(pairs, nullptr);
  EXPECT_EQ(pairs->level, Level::layout);
  EXPECT_EQ(pairs->a, FieldValue("half_split at 0..127 of 128"));
  EXPECT_EQ(pairs->b, FieldValue("interleaved at 0..127 of 128"));
  const RotationDifference& rotation = comparison.rotations.at(0);
  EXPECT_FALSE(rotation.first_pair);
  for (const RotationCosine& each : rotation.cosines) {
    ASSERT_TRUE(each.moved);
    EXPECT_NEAR(*each.moved, 1, 1e-12) << "with its rows moved the model is the same";
  }
  EXPECT_LT(rotation.cosines[1].cosine, 0.9);
}

TEST(Compare, AttentionOfSomeLayers) {
  ModelEncoding other = llama();
  for (const size_t layer : {3, 4, 7}) other.layers[layer].attention.window_left = 4095;
  other.layers[7].attention.qk_norm.kind = NormKind::rms;
  const Comparison comparison = compare(llama(), other);
  EXPECT_TRUE(comparison.rotations.empty());
  ASSERT_EQ(comparison.differences.size(), 2);
  EXPECT_EQ(comparison.differences[0],
            (Difference{Level::attention, "window_left", {}, int64_t{4095}, {3, 4, 7}}));
  EXPECT_EQ(comparison.differences[1].field, "qk_norm");
  EXPECT_THAT(comparison.differences[1].layers, ElementsAre(7));
  EXPECT_TRUE(compare(llama(), other, {.layer = 2}).alike());
  EXPECT_EQ(compare(llama(), other, {.layer = 3}).differences.size(), 1);
  EXPECT_ROPEWALK_ERROR(compare(llama(), other, {.layer = 32}), ErrorCode::invalid_argument,
                        "expected 0..31");
}

// A GGUF keeps float32: that is no difference.
TEST(Compare, RoundingOfFloat32) {
  const ModelEncoding other = with_rope([](RopeConfig& r) { r.rope_theta = 500000.02; });
  EXPECT_TRUE(compare(llama(), other).alike());
  const ModelEncoding more = with_rope([](RopeConfig& r) { r.rope_theta = 500001; });
  EXPECT_FALSE(compare(llama(), more).alike());
}

TEST(Compare, LongListsByTheirFirstDifference) {
  const auto lists = [](double third) {
    return with_rope([&](RopeConfig& r) {
      r.rope_type = "longrope";
      r.parameters = {{"factor", 4}, {"original_max_position_embeddings", 2048}};
      r.lists["long_factor"] = std::vector<double>(64, 2);
      r.lists["short_factor"] = std::vector<double>(64, 1);
      r.lists["short_factor"][3] = third;
    });
  };
  const Comparison comparison = compare(lists(1), lists(1.5));
  ASSERT_EQ(comparison.differences.size(), 1);
  EXPECT_EQ(comparison.differences[0].field, "short_factor[3]");
  EXPECT_EQ(comparison.differences[0].b, FieldValue(1.5));
}

// One kind of layer differs, and a part beside the layers.
TEST(Compare, EveryLayerAndOtherParts) {
  const ModelEncoding a = llama();
  ModelEncoding b = llama();
  rope(b, 31).rope_theta = 10000;
  b.others.push_back({"vision", RopeConfig{}});
  Comparison comparison = compare(a, b);
  EXPECT_THAT(comparison.rotations.at(0).layers, ElementsAre(31));
  EXPECT_EQ(find(comparison, "rope_theta")->layers, std::vector<size_t>{31});
  EXPECT_EQ(*find(comparison, "vision"), (Difference{Level::config, "vision", {}, "rope", {}}));
  EXPECT_NE(find(comparison, "kinds of layers"), nullptr);
  ModelEncoding c = b;
  std::get<RopeConfig>(c.others[0].encoding).rope_theta = 100;
  comparison = compare(b, c);
  ASSERT_EQ(comparison.differences.size(), 1);
  EXPECT_EQ(comparison.differences[0].field, "vision: rope_theta");
}

// The same tower whose patches come in other blocks: other position ids.
TEST(Compare, HowPatchesAreNumbered) {
  ModelEncoding a = llama();
  a.patches = PatchGrid{.merge = 2};
  ModelEncoding b = a;
  EXPECT_TRUE(compare(a, b).differences.empty());
  b.patches->merge = 1;
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.differences.size(), 1);
  EXPECT_EQ(comparison.differences[0].field, "patches.merge");
}

// Qwen2-VL and Qwen2.5-VL: the frames of a video count by their seconds.
TEST(Compare, HowTokensOfPicturesAreCounted) {
  ModelEncoding a = llama();
  a.mrope = MropeRules{};
  ModelEncoding b = a;
  EXPECT_TRUE(compare(a, b).differences.empty());
  b.mrope->tokens_per_second = 2;
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.differences.size(), 1);
  EXPECT_EQ(comparison.differences[0].field, "mrope.tokens_per_second");
}

// llama.cpp adds slope (k - q) where BLOOM adds slope k: a softmax does not see the difference.
TEST(Compare, FormsOfAlibiThatASoftmaxDoesNotSee) {
  ModelEncoding a = preset("baichuan-13b"), b = a;
  const auto set = [](ModelEncoding& model, AlibiForm form) {
    for (Layer& layer : model.layers) std::get<AlibiConfig>(layer.positions).form = form;
  };
  set(a, AlibiForm::key_position);
  set(b, AlibiForm::relative);
  EXPECT_TRUE(compare(a, b).alike());
  set(b, AlibiForm::symmetric);
  EXPECT_FALSE(compare(a, b).alike());
}

TEST(Compare, OtherWaysToKnowPositions) {
  const Comparison comparison = compare(preset("baichuan-7b"), preset("baichuan-13b"));
  EXPECT_EQ(find(comparison, "positions")->a, FieldValue("rope"));
  EXPECT_EQ(find(comparison, "positions")->b, FieldValue("alibi"));
  EXPECT_EQ(find(comparison, "layers")->b, FieldValue(int64_t{40}));
  EXPECT_TRUE(comparison.rotations.empty());
  EXPECT_EQ(comparison.common_layers, 32);
}

// Gemma 3 of 4B and 1B differ in the scaling of the layers that see everything, no others.
TEST(Compare, GemmaOfTwoSizes) {
  const Comparison comparison = compare(published("gemma-3-4b"), published("gemma-3-1b"));
  ASSERT_EQ(comparison.rotations.size(), 1);
  EXPECT_THAT(comparison.rotations[0].layers, ElementsAre(5, 11, 17, 23));
}

}  // namespace
}  // namespace ropewalk
