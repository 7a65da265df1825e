#include "ropewalk/positions/mrope_prompt.h"

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using Ids = std::vector<int64_t>;

TEST(MropePrompt, TextAndAnImage) {
  MropePrompt prompt;
  add_text(prompt, 4);
  add_image(prompt, {1, 4, 6}, {});
  add_text(prompt, 2);
  EXPECT_EQ(prompt.kinds, (std::vector<uint8_t>{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0}));
  const MropePositions positions = mrope_positions(prompt.input(), {});
  EXPECT_EQ(positions.positions.shape, (Dims{3, 1, 12}));
  EXPECT_EQ(positions.deltas, Ids{-3});
}

TEST(MropePrompt, VideoWithTimestamps) {
  const MropeRules rules{.frames_apart = true};
  MropePrompt prompt;
  add_video(prompt, {2, 2, 4}, rules, 3);
  EXPECT_EQ(prompt.kinds, (std::vector<uint8_t>{0, 0, 0, 2, 2, 0, 0, 0, 2, 2}));
  EXPECT_EQ(mrope_positions(prompt.input(), rules).positions.shape, (Dims{3, 1, 10}));
  // ERNIE-4.5-VL makes one frame of two.
  MropePrompt merged;
  add_video(merged, {4, 2, 2}, {.temporal_merge = 2});
  EXPECT_EQ(merged.kinds.size(), 2U);
}

TEST(MropePrompt, ImpossibleParts) {
  MropePrompt prompt;
  EXPECT_ROPEWALK_ERROR(add_text(prompt, -1), ErrorCode::invalid_argument,
                        "expected 0 tokens or more, found -1");
  EXPECT_ROPEWALK_ERROR(add_text(prompt, INT64_MAX), ErrorCode::resource_limit, "prompt");
  EXPECT_ROPEWALK_ERROR(add_image(prompt, {1, 3, 4}, {}), ErrorCode::invalid_argument, "3");
  EXPECT_ROPEWALK_ERROR(add_video(prompt, {1, 4, 4}, {.temporal_merge = 0}),
                        ErrorCode::invalid_argument, "temporal_merge: expected at least 1");
  EXPECT_TRUE(prompt.kinds.empty());
  EXPECT_TRUE(prompt.images.empty());
}

TEST(MropePrompt, RowsOfABatchArePadded) {
  const MropeRules rules;
  std::vector<MropePrompt> prompts(2);
  add_text(prompts[0], 1);
  add_image(prompts[0], {1, 2, 4}, rules);
  add_text(prompts[1], 1);
  const MropeBatch left = padded_batch(prompts, PaddingSide::left),
                   right = padded_batch(prompts, PaddingSide::right);
  EXPECT_EQ(left.mask, (std::vector<uint8_t>{1, 1, 1, 0, 0, 1}));
  EXPECT_EQ(right.mask, (std::vector<uint8_t>{1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(left.kinds, (std::vector<uint8_t>{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(mrope_positions(left.input(), rules).positions.ids,
            (std::vector<int64_t>{0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0}));
  EXPECT_EQ(padded_batch({}, PaddingSide::left).batch, 0);
}

}  // namespace
}  // namespace ropewalk
