// The tables of positions that transformers' own classes keep, beside what is read of their
// configs: testdata/reference/learned.json (tools/reference/make_learned_fixtures.py).

#include <algorithm>
#include <map>
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
          EXPECT_EQ(table.rows * table.tables, shape.rows) << name;
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

// The types whose answer is that nothing encodes position.
const std::set<std::string>& without_positions() {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    for (const FamilyInfo& family : families()) {
      for (const TypeInfo& type : family.types) {
        if (type.kind == "none") found.insert(type.name);
      }
    }
    return found;
  }();
  return names;
}

std::set<std::string> names_of(const ordered_json& list) {
  const auto names = list.get<std::vector<std::string>>();
  return {names.begin(), names.end()};
}

// Of each of them that transformers has a class for, the class keeps no table.
TEST(LearnedReference, WhatHasNoPositionsKeepsNoTable) {
  const std::set<std::string> without = names_of(fixture()["without_tables"]);
  std::set<std::string> not_built;
  for (const std::string& name : without_positions()) {
    if (!without.contains(name)) not_built.insert(name);
  }
  // No class of transformers, or none of its own that can be built alone.
  EXPECT_THAT(not_built,
              testing::UnorderedElementsAre("gemma4_unified_audio", "idefics_perciever",
                                            "nemotron_parse", "rt_detr_resnet", "rwkv6", "rwkv7",
                                            "sapiens2_head", "vibevoice_diffusion", "yolo11"));
}

void expect_none(const std::string& name) {
  EXPECT_TRUE(without_positions().contains(name)) << name;
}

// What takes its input as a set gives the same outputs in another order, or outputs that do not
// tell the order.
TEST(LearnedReference, ASetFollowsItsOrder) {
  EXPECT_EQ(fixture()["sets"].size(), 3u);
  for (const auto& [name, outcome] : fixture()["sets"].items()) {
    expect_none(name);
    EXPECT_EQ(find_model_type(name).type->remark, kNoOrder) << name;
    EXPECT_TRUE(outcome["follows"].get<bool>()) << name;
  }
}

// What is recurrent knows the order by itself, and takes no notice of the positions' numbers.
TEST(LearnedReference, RecurrenceKnowsTheOrderWithoutPositions) {
  EXPECT_EQ(fixture()["recurrent"].size(), 8u);
  for (const auto& [name, outcome] : fixture()["recurrent"].items()) {
    expect_none(name);
    EXPECT_TRUE(outcome["order_counts"].get<bool>()) << name;
    EXPECT_FALSE(outcome.value("position_ids_count", false)) << name;
  }
}

// What is made of convolutions moves with the picture; a class with a table does not.
TEST(LearnedReference, ConvolutionsMoveWithThePicture) {
  size_t moved = 0;
  for (const auto& [name, rolls] : fixture()["rolls"].items()) {
    const bool none = without_positions().contains(name);
    EXPECT_EQ(rolls.get<bool>(), none) << name;
    moved += none ? 1 : 0;
  }
  EXPECT_EQ(moved, 14u);
  EXPECT_EQ(fixture()["rolls"].size(), 16u);
}

// Whether the answer of a type names a table, or what it holds.
bool is_named(const ModelEncoding& model, const std::string& name, const ordered_json& one) {
  for (const LearnedConfig& table : all_of<LearnedConfig>(model)) {
    for (size_t at = 0; at < table.tensor.size();) {
      const size_t end = std::min(table.tensor.find(", ", at), table.tensor.size());
      if (name.ends_with(table.tensor.substr(at, end - at))) return true;
      at = end + 2;
    }
  }
  // Numbers and terms of distances, and sines that a checkpoint holds.
  if (!all_of<BucketBiasConfig>(model).empty() || !all_of<RelativeConfig>(model).empty()) {
    if (name.find("relative") != name.npos || name.ends_with("pe_k.weight")) return true;
  }
  if (!all_of<SinusoidalConfig>(model).empty() && name.ends_with("embed_positions.weight")) {
    return true;
  }
  // The decoder's table beside the encoder's, of the same kind.
  const std::string decoder = "decoder.";
  if (!name.starts_with(decoder)) return false;
  const std::string twin = "encoder." + name.substr(decoder.size());
  return one["tables"].contains(twin) && is_named(model, twin, one);
}

// What else a class keeps under a name like that of a table of positions.
const std::map<std::string, std::string, std::less<>> kOtherTables = {
    {"deepseek_v4", "of the keys that a compressed key is made of"},
    {"layoutlm", "corners and sides of the words' boxes"},
    {"layoutlmv3", "the boxes, and the patches of the page beside the words"},
    {"lilt", "the boxes"},
    {"mllama_vision_model", "of tiles, beside the patches of one"},
    {"mlcd", "angles of the class token"},
    {"mlcd_vision_model", "angles of the class token"},
    {"mpnet", "buckets of distances beside the table"},
    {"prophetnet", "of the streams of its decoder"},
    {"reformer", "the second of two axes"},
    {"roformer", "sines and cosines of its rotation"},
    {"seamless_m4t_v2", "factors of sines"},
    {"udop", "corners of the words' boxes"},
    {"videoprism_vision_model", "of frames, beside the patches of one"},
    {"vilt", "of the words, beside the patches"},
    {"visual_bert", "of the picture's regions, beside the words"},
    {"yolos", "of the layers between, beside the input's"},
};

// Each table that a class keeps is named by the answer, or known to be something else.
TEST(LearnedReference, NoTableIsLeftOut) {
  size_t named = 0;
  std::set<std::string, std::less<>> others;
  for (const ordered_json& one : fixture()["cases"]) {
    const std::optional<ModelEncoding> model = read(one);
    if (!model) continue;
    for (const auto& [name, sizes] : one["tables"].items()) {
      if (is_named(*model, name, one)) {
        ++named;
      } else {
        others.insert(type_of(one));
        EXPECT_TRUE(kOtherTables.contains(type_of(one)))
            << type_of(one) << ": " << name << " " << sizes.dump();
      }
    }
  }
  EXPECT_GE(named, 200u);
  EXPECT_EQ(others.size(), kOtherTables.size());
}

}  // namespace
}  // namespace ropewalk
