#include "ropewalk/positions/mrope.h"

#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using Ids = std::vector<int64_t>;
using Kinds = std::vector<uint8_t>;
using Grids = std::vector<VisionGrid>;

// `counts` tokens of text, image or video (0, 1, 2), one after the other.
Kinds kinds_of(std::initializer_list<std::pair<uint8_t, size_t>> counts) {
  Kinds kinds;
  for (const auto& [kind, count] : counts) kinds.insert(kinds.end(), count, kind);
  return kinds;
}

MropePositions one_row(const Kinds& kinds, const Grids& images, const Grids& videos,
                       const MropeRules& rules, const std::vector<double>& seconds = {}) {
  return mrope_positions(
      {1, static_cast<int64_t>(kinds.size()), kinds, {}, images, videos, seconds}, rules);
}

Ids axis_of(const MropePositions& result, int axis) {
  const auto size = static_cast<std::ptrdiff_t>(result.positions.ids.size() / 3);
  const auto begin = result.positions.ids.begin() + axis * size;
  return {begin, begin + size};
}

// An image takes max(rows, columns) positions (kekzl/imp#1174).
TEST(PositionsMrope, M03_Image) {
  const auto result = one_row(kinds_of({{0, 4}, {1, 6}, {0, 2}}), {{1, 4, 6}}, {}, {});
  EXPECT_EQ(result.positions.shape, (Dims{3, 1, 12}));
  EXPECT_EQ(axis_of(result, 0), (Ids{0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 7, 8}));
  EXPECT_EQ(axis_of(result, 1), (Ids{0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 7, 8}));
  EXPECT_EQ(axis_of(result, 2), (Ids{0, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8}));
  EXPECT_EQ(result.deltas, Ids{-3});  // the 13th token is at 9
}

// 25 tokens a second, 2 frames a patch, 1 frame a second (huggingface/transformers#41152).
TEST(PositionsMrope, M07_Video) {
  const Kinds kinds = kinds_of({{2, 12}, {0, 1}});
  MropeRules rules{.tokens_per_second = 25};
  const auto result = one_row(kinds, {}, {{3, 4, 4}}, rules, {2.0});
  EXPECT_EQ(axis_of(result, 0), (Ids{0, 0, 0, 0, 50, 50, 50, 50, 100, 100, 100, 100, 101}));
  EXPECT_EQ(axis_of(result, 1), (Ids{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 101}));
  EXPECT_EQ(axis_of(result, 2), (Ids{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 101}));
  EXPECT_EQ(result.deltas, Ids{102 - 13});
  rules.next = MropeNext::side;
  EXPECT_EQ(axis_of(one_row(kinds, {}, {{3, 4, 4}}, rules, {2.0}), 0).back(), 2);
}

// A third of a second a frame, 2 tokens a second: 0, 2/3, 4/3, 2 are cut, not rounded.
TEST(PositionsMrope, TimeIsTruncated) {
  const MropeRules rules{.tokens_per_second = 2};
  const auto result = one_row(Kinds(4, 2), {}, {{4, 2, 2}}, rules, {1.0 / 3});
  EXPECT_EQ(axis_of(result, 0), (Ids{0, 0, 1, 2}));
}

TEST(PositionsMrope, FramesApart) {
  const MropeRules rules{.frames_apart = true};
  const auto result = one_row(kinds_of({{0, 1}, {2, 2}, {0, 1}, {2, 2}}), {}, {{2, 2, 4}}, rules);
  EXPECT_EQ(axis_of(result, 0), (Ids{0, 1, 1, 3, 4, 4}));
  EXPECT_EQ(axis_of(result, 2), (Ids{0, 1, 2, 3, 4, 5}));
}

// Two images with no text between them are two, which transformers 5 takes for one.
TEST(PositionsMrope, ImagesSideBySide) {
  const auto result = one_row(Kinds(3, 1), {{1, 2, 2}, {1, 4, 2}}, {}, {});
  EXPECT_EQ(axis_of(result, 0), (Ids{0, 1, 1}));
  EXPECT_EQ(axis_of(result, 1), (Ids{0, 1, 2}));
}

// The second row of a batch takes the grids that are left, not the first again
// (RBLN-SW/optimum-rbln#651).
TEST(PositionsMrope, M07_GridsGoOnFromRowToRow) {
  const Kinds kinds = {0, 1, 0, 0, 1, 1};
  const Grids images = {{1, 2, 2}, {1, 2, 4}};
  const auto result = mrope_positions({2, 3, kinds, {}, images, {}}, {});
  EXPECT_EQ(axis_of(result, 2), (Ids{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(result.deltas, (Ids{0, 0}));
}

// A later part of a prompt is a view of the positions of all (vllm-project/vllm#10388).
TEST(PositionsMrope, M06_PartsOfAPrompt) {
  const auto result = one_row(kinds_of({{0, 20}, {1, 6}, {0, 14}}), {{1, 4, 6}}, {}, {});
  ConstTensorView part = result.positions.view();
  part.data = result.positions.ids.data() + 32;
  part.shape = {3, 1, 8};
  const PositionIds ids = positions_of(part);
  const PositionReader reader(ids, 1, 8, 3);
  for (int axis = 0; axis < 3; ++axis) {
    for (int s = 0; s < 8; ++s) EXPECT_EQ(reader.at(axis, 0, s), 32 + s - 3);
  }
}

TEST(PositionsMrope, TokensAndGridsThatDisagree) {
  const auto refused = [](const Kinds& kinds, const Grids& images, const char* text) {
    EXPECT_ROPEWALK_ERROR(one_row(kinds, images, {}, {}), ErrorCode::invalid_argument, text);
  };
  refused(
      {0, 1, 0}, {{1, 4, 2}},
      "mrope positions: row 0, token 1 (image): expected 1 x 2 x 1 tokens of its kind, found 1");
  refused({1, 1}, {{1, 2, 2}}, "row 0, token 1 (image): expected a grid, found none left");
  refused({0}, {{1, 2, 2}}, "image 0: expected tokens for it, found none");
  refused({1}, {{1, 2, 3}}, "grid 0: expected rows and columns in multiples of 2");
  refused({3}, {}, "kinds: index 0: expected 0 to 2, found 3");
  const Kinds video(2, 2);
  const auto wrong = [&](const MropeRules& rules, const std::vector<double>& seconds,
                         const char* text) {
    EXPECT_ROPEWALK_ERROR(one_row(video, {}, {{2, 2, 2}}, rules, seconds),
                          ErrorCode::invalid_argument, text);
  };
  wrong({.temporal_merge = 3}, {}, "video 0: expected frames in multiples of 3, found 2");
  wrong({.temporal_merge = 0}, {}, "temporal_merge: expected 1 or more, found 0");
  wrong({.tokens_per_second = -1}, {}, "tokens_per_second: expected 0 to 100000, found -1");
  wrong({.spatial_merge = 0}, {}, "merge: expected 1 to 268435456, found 0");
  wrong({}, {1, 2}, "second_per_grid: expected one for each of 1 videos, found 2");
  wrong({}, {NAN}, "second_per_grid: index 0: expected 0 to 100000, found nan");
}

// With text alone the three axes are the positions of the mask.
ROPEWALK_PROPERTY(PositionsMrope, TextIsCounted, [] {
  const auto mask = *rc::gen::container<Kinds>(rc::gen::inRange<uint8_t>(0, 2));
  const auto seq = static_cast<int64_t>(mask.size());
  const Kinds kinds(mask.size(), 0);
  const auto result = mrope_positions({1, seq, kinds, mask, {}, {}}, {}, 5);
  for (int axis = 0; axis < 3; ++axis) {
    RC_ASSERT(axis_of(result, axis) == mask_positions({1, seq, mask}, 5).ids);
  }
  RC_ASSERT(result.deltas == Ids{0});
});

}  // namespace
}  // namespace ropewalk
