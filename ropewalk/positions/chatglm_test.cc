#include "ropewalk/positions/chatglm.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using testing::ElementsAre;
using Ids = std::vector<int64_t>;

// zai-org/ChatGLM-6B#1258: five threads ask which ids are right.
TEST(ChatGlmPositions, D01_ClampedAfterBos) {
  const Ids ids = {5, 6, 130001, 130004, 20, 21};
  const ChatGlmPositions positions = chatglm_positions(ids);
  EXPECT_THAT(positions.position, ElementsAre(0, 1, 2, 2, 2, 2));
  EXPECT_THAT(positions.block_position, ElementsAre(0, 0, 0, 1, 2, 3));
  EXPECT_THAT(positions.planes(), ElementsAre(0, 1, 2, 2, 2, 2, 0, 0, 0, 1, 2, 3));
}

TEST(ChatGlmPositions, MarchRevisionGoesOnWithGmask) {
  const Ids ids = {5, 6, 150001, 150004, 20, 21};
  const ChatGlmPositions positions = chatglm_positions(ids);
  EXPECT_THAT(positions.position, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(positions.block_position, ElementsAre(0, 0, 0, 1, 2, 3));
}

// MASK stands where the missing words are, so it may lie well before bos.
TEST(ChatGlmPositions, MaskInsideTheTextIsClampedInBothRevisions) {
  EXPECT_THAT(chatglm_positions(Ids{5, 130000, 6, 7, 130004, 20}).position,
              ElementsAre(0, 1, 2, 3, 1, 1));
  EXPECT_THAT(chatglm_positions(Ids{5, 150000, 6, 7, 150004, 20}).position,
              ElementsAre(0, 1, 2, 3, 1, 1));
}

TEST(ChatGlmPositions, GmaskIsPreferredToMask) {
  EXPECT_THAT(chatglm_positions(Ids{130000, 5, 130001, 130004, 20}).position,
              ElementsAre(0, 1, 2, 2, 2));
}

TEST(ChatGlmPositions, MaskAfterBosIsText) {
  EXPECT_THAT(chatglm_positions(Ids{5, 130000, 130004, 130001}).position, ElementsAre(0, 1, 1, 1));
}

// The rule as the published code writes it: arange, then overwritten from the context on.
ROPEWALK_PROPERTY(ChatGlmPositions, MatchesThePublishedRule, [](uint8_t before, uint8_t after) {
  const int64_t context = 1 + before;
  const int64_t length = context + 1 + after;
  const int64_t mask = *rc::gen::inRange<int64_t>(0, context);
  const ChatGlmPositions positions = chatglm_positions(
      ChatGlmPrompt{.length = length, .context_length = context, .mask_index = mask});
  for (int64_t i = 0; i < length; ++i) {
    const auto at = static_cast<size_t>(i);
    RC_ASSERT(positions.position[at] == (i < context ? i : mask));
    RC_ASSERT(positions.block_position[at] == std::max<int64_t>(0, i - context + 1));
  }
})

TEST(ChatGlmPositions, PromptIsWhatComesBeforeBos) {
  EXPECT_EQ(chatglm_prompt_length(Ids{5, 6, 130001, 130004, 7, 8}), 3);
  EXPECT_EQ(chatglm_prompt_length(Ids{150000, 150004, 7}), 1);
  EXPECT_ROPEWALK_ERROR(chatglm_prompt_length(Ids{5, 6}), ErrorCode::invalid_argument,
                        "expected bos");
}

TEST(ChatGlmPositions, NoBos) {
  EXPECT_ROPEWALK_ERROR(chatglm_positions(Ids{5, 130001, 6}), ErrorCode::invalid_argument,
                        "expected bos (130004");
  EXPECT_ROPEWALK_ERROR(chatglm_positions(Ids{}), ErrorCode::invalid_argument,
                        "found none in 0 tokens");
}

TEST(ChatGlmPositions, NoMask) {
  EXPECT_ROPEWALK_ERROR(chatglm_positions(Ids{5, 6, 130004, 7}), ErrorCode::invalid_argument,
                        "expected gMASK (130001) or MASK (130000) before bos (130004) at index 2");
  // A mask of the other revision's vocabulary is a word here.
  EXPECT_ROPEWALK_ERROR(chatglm_positions(Ids{150001, 130004, 7}), ErrorCode::invalid_argument,
                        "expected gMASK (130001)");
}

TEST(ChatGlmPositions, ImpossiblePrompts) {
  const auto positions = [](int64_t length, int64_t context, int64_t mask) {
    return chatglm_positions(
        ChatGlmPrompt{.length = length, .context_length = context, .mask_index = mask});
  };
  EXPECT_ROPEWALK_ERROR(positions(0, 0, 0), ErrorCode::invalid_argument,
                        "length: expected at least 1");
  EXPECT_ROPEWALK_ERROR(positions(-1, 0, 0), ErrorCode::invalid_argument, "found -1");
  EXPECT_ROPEWALK_ERROR(positions(4, 4, 2), ErrorCode::invalid_argument, "in 1..3");
  EXPECT_ROPEWALK_ERROR(positions(4, 0, 0), ErrorCode::invalid_argument,
                        "context_length: expected");
  EXPECT_ROPEWALK_ERROR(positions(4, 2, 2), ErrorCode::invalid_argument,
                        "mask_index: expected an index before bos, in 0..1, found 2");
  EXPECT_ROPEWALK_ERROR(positions(4, 2, -1), ErrorCode::invalid_argument, "found -1");
  EXPECT_ROPEWALK_ERROR(positions(std::numeric_limits<int64_t>::max(), 2, 1),
                        ErrorCode::resource_limit, "length: expected at most 268435456");
}

}  // namespace
}  // namespace ropewalk
