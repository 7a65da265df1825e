// The tables of positions that transformers' own classes keep, beside what is read of their
// configs: testdata/reference/learned.json (tools/reference/make_learned_fixtures.py).

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/models/configs_testing.h"
#include "ropewalk/models/models.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

const ordered_json& fixture() {
  static const ordered_json json = ordered_json::parse(read_text(
      std::filesystem::path(ROPEWALK_TESTDATA) / "reference" / "learned.json", uint64_t{1} << 24));
  return json;
}

// Rows and numbers of a table, whose places may lie in several axes.
struct Shape {
  int64_t rows = 1, numbers = 1;
};
Shape shape_of(const ordered_json& sizes) {
  Shape shape;
  for (size_t i = 0; i + 1 < sizes.size(); ++i) shape.rows *= sizes[i].get<int64_t>();
  shape.numbers = sizes.back().get<int64_t>();
  return shape;
}

// A product of two tables, one for each axis; a table whose channels come first.
const std::set<std::string, std::less<>> kOtherLayouts = {"reformer", "sam2_hiera_det_model"};

std::string type_of(const ordered_json& one) {
  return one["config"]["model_type"].get<std::string>();
}

// What the model has of a kind of encoding, in its layers or beside them.
template <typename Config>
std::vector<Config> all_of(const ModelEncoding& model) {
  std::vector<Config> found;
  const auto add = [&](const PositionEncoding& encoding) {
    if (const auto* config = std::get_if<Config>(&encoding)) found.push_back(*config);
  };
  for (const NamedEncoding& other : model.others) add(other.encoding);
  if (!model.layers.empty()) add(model.layers.front().positions);
  return found;
}

// The model of a case; nullopt for a type that is refused.
std::optional<ModelEncoding> read(const ordered_json& one) {
  const KnownType known = find_model_type(type_of(one));
  if (known.type == nullptr || known.type->positions == Positions::other) return {};
  return read_model_config(one["config"].dump(), "config.json");
}

TEST(LearnedReference, TablesHaveTheNamesAndShapesOfTransformers) {
  std::set<std::string> not_derived, types;
  size_t compared = 0;
  for (const ordered_json& one : fixture()["cases"]) {
    SCOPED_TRACE(one.dump());
    const std::optional<ModelEncoding> model = read(one);
    if (!model) continue;
    for (const LearnedConfig& table : all_of<LearnedConfig>(*model)) {
      // Of a row's and a column's table the first is named here.
      const std::string tensor = table.tensor.substr(0, table.tensor.find(", "));
      size_t named = 0;
      for (const auto& [name, sizes] : one["tables"].items()) {
        if (!name.ends_with(tensor)) continue;
        ++named;
        if (kOtherLayouts.contains(type_of(one))) continue;
        const Shape shape = shape_of(sizes);
        if (table.d_model > 0) {
          EXPECT_EQ(table.d_model, shape.numbers) << name;
        }
        if (table.rows == 0) {
          not_derived.insert(type_of(one));
        } else {
          EXPECT_EQ(table.rows, shape.rows) << name;
        }
      }
      EXPECT_GE(named, 1u) << table.tensor;
      types.insert(type_of(one));
      ++compared;
    }
  }
  EXPECT_GE(compared, 140u);
  EXPECT_THAT(not_derived,
              testing::UnorderedElementsAre("audio-spectrogram-transformer", "patchtst", "pvt",
                                            "videoprism_vision_model", "vivit", "yolos"));
  std::set<std::string> not_built;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (type.positions != Positions::learned || !type.part.empty()) continue;
      if (!types.contains(std::string(type.name))) not_built.emplace(type.name);
    }
  }
  // Without a class in transformers, or one that needs other software, or an encoder without its
  // embeddings.
  EXPECT_THAT(not_built,
              testing::UnorderedElementsAre("eomt", "gemma4_unified_vision", "idefics_vision",
                                            "intern_vit_6b", "layoutlmv2", "layoutxlm",
                                            "lw_detr_vit", "rf_detr_dinov2", "videomt"));
}

TEST(LearnedReference, BucketsHaveATableOfTheirNumberAndTheHeads) {
  size_t compared = 0;
  for (const ordered_json& one : fixture()["cases"]) {
    SCOPED_TRACE(one.dump());
    const std::optional<ModelEncoding> model = read(one);
    if (!model) continue;
    for (const BucketBiasConfig& buckets : all_of<BucketBiasConfig>(*model)) {
      for (const auto& [name, sizes] : one["tables"].items()) {
        if (!name.ends_with("relative_attention_bias.weight")) continue;
        EXPECT_EQ(sizes, ordered_json({buckets.buckets, buckets.heads})) << name;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 10u);
}

// A model that takes tokens as a set gives the same outputs in another order; one that knows the
// order by its layers does not.
TEST(LearnedReference, WhatHasNoPositionsIsASetOrKnowsTheOrderByItself) {
  for (const auto& [name, outcome] : fixture()["sets"].items()) {
    SCOPED_TRACE(name);
    const KnownType known = find_model_type(name);
    ASSERT_NE(known.type, nullptr);
    EXPECT_EQ(known.type->positions, Positions::none);
    const bool set = known.type->remark != kRecurrenceAlone;
    if (set) {
      EXPECT_TRUE(outcome["follows"].get<bool>());
      EXPECT_TRUE(outcome["moves"].get<bool>());
    } else {
      EXPECT_TRUE(outcome["order_counts"].get<bool>());
    }
  }
  EXPECT_EQ(fixture()["sets"].size(), 5u);
}

}  // namespace
}  // namespace ropewalk
