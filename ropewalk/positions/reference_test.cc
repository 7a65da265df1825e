#include <algorithm>

#include "ropewalk/positions/grid.h"
#include "ropewalk/positions/mrope.h"
#include "ropewalk/positions/mrope_prompt.h"
#include "ropewalk/positions/positions.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"

// The builders beside the code of transformers: tools/reference/make_position_fixtures.py.
namespace ropewalk {
namespace {

using nlohmann::ordered_json;
using testing::json_fixture;

// The numbers of nested lists, one after the other.
template <typename T>
std::vector<T> flat(const ordered_json& json) {
  std::vector<T> values;
  for (const ordered_json& item : json) {
    if (item.is_array()) {
      const std::vector<T> inner = flat<T>(item);
      values.insert(values.end(), inner.begin(), inner.end());
    } else {
      values.push_back(item.get<T>());
    }
  }
  return values;
}

std::vector<VisionGrid> grids_of(const ordered_json& json) {
  std::vector<VisionGrid> grids;
  for (const ordered_json& grid : json) {
    grids.push_back({grid[0].get<int64_t>(), grid[1].get<int64_t>(), grid[2].get<int64_t>()});
  }
  return grids;
}

MropePositions ours(const ordered_json& test, const MropeRules& rules, int64_t masked_value) {
  const auto kinds = flat<uint8_t>(test["kinds"]), mask = flat<uint8_t>(test["mask"]);
  const auto images = grids_of(test["images"]), videos = grids_of(test["videos"]);
  const auto seconds = flat<double>(test.value("second_per_grid", ordered_json::array()));
  return mrope_positions(
      {static_cast<int64_t>(test["kinds"].size()), static_cast<int64_t>(test["kinds"][0].size()),
       kinds, mask, images, videos, seconds},
      rules, masked_value);
}

MropeRules rules_of(const ordered_json& model, MropeNext next) {
  return {.temporal_merge = model.value("temporal_merge_size", int64_t{1}),
          .tokens_per_second = model.value("tokens_per_second", 0.0),
          .frames_apart = model.value("frames_apart", false),
          .next = next};
}

TEST(PositionsReference, MropeOfTransformers5) {
  const ordered_json all = json_fixture("positions")["mrope"];
  EXPECT_EQ(all.size(), 7u);
  for (const auto& [name, model] : all.items()) {
    const MropeRules rules = rules_of(model, MropeNext::side);
    for (const ordered_json& test : model["cases"]) {
      const MropePositions result = ours(test, rules, 0);
      EXPECT_EQ(result.positions.ids, flat<int64_t>(test["positions"])) << name;
      EXPECT_EQ(result.deltas, flat<int64_t>(test["deltas"])) << name;
    }
  }
}

// The models as they were published. Its deltas count padding as tokens; ours do not.
TEST(PositionsReference, MropeOfTransformers4) {
  const ordered_json all = json_fixture("positions_transformers4")["mrope"];
  EXPECT_EQ(all.size(), 3u);
  for (const auto& [name, model] : all.items()) {
    const MropeRules rules = rules_of(model, MropeNext::largest);
    for (const ordered_json& test : model["cases"]) {
      const MropePositions result = ours(test, rules, 1);
      EXPECT_EQ(result.positions.ids, flat<int64_t>(test["positions"])) << name;
      const auto deltas = flat<int64_t>(test["deltas"]);
      for (size_t row = 0; row < deltas.size(); ++row) {
        const auto mask = flat<int64_t>(test["mask"][row]);
        const auto padding = std::count(mask.begin(), mask.end(), 0);
        EXPECT_EQ(result.deltas[row], deltas[row] + padding) << name;
      }
    }
  }
}

// Prompts of a batch, padded on either side.
TEST(PositionsReference, PaddedBatches) {
  const ordered_json all = json_fixture("positions")["batches"];
  std::vector<MropePrompt> prompts;
  for (const ordered_json& row : all["rows"]) {
    prompts.push_back({flat<uint8_t>(row["kinds"]), grids_of(row["images"]), {}});
  }
  EXPECT_EQ(all["cases"].size(), 2u);
  for (const ordered_json& test : all["cases"]) {
    const PaddingSide side = test["side"] == "left" ? PaddingSide::left : PaddingSide::right;
    const MropeBatch batch = padded_batch(prompts, side);
    const MropePositions result = mrope_positions(batch.input(), {});
    EXPECT_EQ(result.positions.shape, (Dims{3, 3, 12}));
    EXPECT_EQ(result.positions.ids, flat<int64_t>(test["positions"]));
    EXPECT_EQ(result.deltas, flat<int64_t>(test["deltas"]));
  }
}

TEST(PositionsReference, RowsOfLearnedTables) {
  const ordered_json all = json_fixture("positions")["padding"];
  const auto mask = flat<uint8_t>(all["mask"]);
  const auto ids = flat<int64_t>(all["ids"]);
  const auto batch = static_cast<int64_t>(all["mask"].size());
  const auto seq = static_cast<int64_t>(mask.size()) / batch;
  EXPECT_EQ(opt_positions({batch, seq, mask}).ids, flat<int64_t>(all["opt"]));
  EXPECT_EQ(fairseq_positions({batch, seq, ids}, 1).ids, flat<int64_t>(all["roberta"]));
  EXPECT_EQ(fairseq_positions({batch, seq, ids}, 1, 5).ids, flat<int64_t>(all["roberta_cache_5"]));
}

TEST(PositionsReference, PatchesOfVisionTowers) {
  const ordered_json all = json_fixture("positions")["grids"];
  EXPECT_EQ(all.size(), 3u);
  for (const ordered_json& test : all) {
    const GridPositions result = grid_positions(grids_of(test["grids"]), test["merge"]);
    EXPECT_EQ(result.thw().ids, flat<int64_t>(test["thw"]));
  }
}

}  // namespace
}  // namespace ropewalk
