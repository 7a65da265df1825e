#include "ropewalk/positions/grid.h"

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using Ids = std::vector<int64_t>;
using Grids = std::vector<VisionGrid>;

// Rows and columns of a grid that is not square, so that exchanged axes show
// (warpfront/hipfire#324).
TEST(PositionsGrid, D04_BlocksOfTwoByTwo) {
  const GridPositions positions = grid_positions(Grids{{1, 2, 4}});
  EXPECT_EQ(positions.h, (Ids{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(positions.w, (Ids{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(positions.t, Ids(8, 0));
}

TEST(PositionsGrid, PlainRows) {
  const GridPositions positions = grid_positions(Grids{{1, 2, 3}}, 1);
  EXPECT_EQ(positions.h, (Ids{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(positions.w, (Ids{0, 1, 2, 0, 1, 2}));
}

TEST(PositionsGrid, FramesAndSeveralGrids) {
  const GridPositions positions = grid_positions(Grids{{2, 1, 2}, {1, 2, 1}}, 1);
  EXPECT_EQ(positions.t, (Ids{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(positions.h, (Ids{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(positions.w, (Ids{0, 1, 0, 1, 0, 0}));
}

TEST(PositionsGrid, AxesInTheOrderOfTheSpectrum) {
  const GridPositions positions = grid_positions(Grids{{1, 1, 2}}, 1);
  EXPECT_EQ(positions.hw(), (PositionArray{{2, 1, 2}, {0, 0, 0, 1}}));
  EXPECT_EQ(positions.wh(), (PositionArray{{2, 1, 2}, {0, 1, 0, 0}}));
  EXPECT_EQ(positions.thw(), (PositionArray{{3, 1, 2}, {0, 0, 0, 0, 0, 1}}));
}

TEST(PositionsGrid, GridsThatAreNone) {
  const auto refused = [](const VisionGrid& grid, int64_t merge, const char* text) {
    EXPECT_ROPEWALK_ERROR(grid_positions(Grids{{1, 2, 2}, grid}, merge),
                          ErrorCode::invalid_argument, text);
  };
  refused({1, 3, 2}, 2, "grid 1: expected rows and columns in multiples of 2, found 1 x 3 x 2");
  refused({0, 2, 2}, 2, "grid 1: expected 1 or more each way, found 0 x 2 x 2");
  refused({1, 2, -2}, 2, "expected 1 or more each way");
  refused({1, 2, 2}, 0, "merge: expected 1 to 268435456, found 0");
  for (const VisionGrid& grid : {VisionGrid{1, 1 << 15, 1 << 14}, VisionGrid{1 << 27, 2, 2},
                                 VisionGrid{INT64_MAX - 1, INT64_MAX - 1, INT64_MAX - 1}}) {
    EXPECT_ROPEWALK_ERROR(grid_positions(Grids{grid}), ErrorCode::resource_limit,
                          "expected at most 268435456 tokens");
  }
}

// Worked numbers: Llama 4 counts from 1, columns first, and has a class token, which does not turn.
TEST(Grid, PatchesOfAModel) {
  const std::vector<VisionGrid> grids = {{1, 2, 4}, {2, 2, 2}};
  EXPECT_EQ(patch_positions(grids, {.merge = 2}), grid_positions(grids, 2).hw());
  EXPECT_EQ(patch_positions(grids, {.axes = PatchAxes::wh}), grid_positions(grids, 1).wh());
  EXPECT_EQ(patch_positions(grids, {.axes = PatchAxes::thw, .merge = 2}),
            grid_positions(grids, 2).thw());
  const std::vector<VisionGrid> one = {{1, 1, 2}};
  EXPECT_EQ(patch_positions(one, {.axes = PatchAxes::wh, .first = 1, .class_token = true}),
            (PositionArray{{2, 1, 3}, {1, 2, 0, 1, 1, 0}}));
  EXPECT_EQ(patch_count(grids, {.class_token = true}), 8 + 1 + 2 * (4 + 1));
  EXPECT_ROPEWALK_ERROR(patch_positions(one, {.merge = 0}), ErrorCode::invalid_argument,
                        "merge: expected 1 to");
}

}  // namespace
}  // namespace ropewalk
