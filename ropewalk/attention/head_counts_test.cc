#include "ropewalk/attention/head_counts.h"

#include <gtest/gtest.h>

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

const Layer kLayer{.heads = 32, .kv_heads = 8, .head_dim = 128};

// faults.md E 1: transformers' q is [batch, heads, seq, head_dim].
TEST(HeadCounts, HeadsOnTheAxisOfTokens) {
  const Dims q{1, 32, 16, 128}, k{1, 8, 16, 128};
  EXPECT_ROPEWALK_ERROR(check_not_transposed(kLayer, {"q", q}, TensorLayout::bshd),
                        ErrorCode::invalid_argument,
                        "q: expected 32 heads in layout bshd, found 16 and 32 tokens");
  EXPECT_ROPEWALK_ERROR(check_not_transposed(kLayer, {"k", k, true}, TensorLayout::bshd),
                        ErrorCode::invalid_argument,
                        "k: expected 8 heads in layout bshd, found 16 and 8 tokens");
  EXPECT_NO_THROW(check_not_transposed(kLayer, {"q", q}, TensorLayout::bhsd));
  const Dims square{1, 32, 32, 128}, one{32, 1, 128};
  EXPECT_NO_THROW(check_not_transposed(kLayer, {"q", square}, TensorLayout::bshd));
  EXPECT_ROPEWALK_ERROR(check_not_transposed(kLayer, {"q", one}, TensorLayout::bshd),
                        ErrorCode::invalid_argument, "found 1 and 32 tokens in shape [32, 1, 128]");
}

TEST(HeadCounts, CountsThatFitBothLayouts) {
  const auto other = [](const Dims& shape) {
    return may_be_transposed(kLayer, shape, TensorLayout::bshd);
  };
  EXPECT_TRUE(other({1, 8, 16, 128})) << "8 heads of keys, or 8 tokens and half of the heads";
  EXPECT_TRUE(other({1, 32, 8, 128}));
  EXPECT_FALSE(other({1, 16, 8, 128}));
  EXPECT_FALSE(other({1, 32, 32, 128})) << "nothing in the shape tells";
  EXPECT_FALSE(other({1, 1, 8, 128}));
  EXPECT_TRUE(may_be_transposed(kLayer, {1, 16, 8, 128}, TensorLayout::bhsd));
}

TEST(HeadCounts, ACountThatTheLayerDoesNotHave) {
  const auto words = [](int64_t heads, bool of_keys) {
    const Dims shape{1, 16, heads, 128};
    return strange_head_count(kLayer, {of_keys ? "k" : "q", shape, of_keys}, TensorLayout::bshd);
  };
  EXPECT_EQ(words(32, false), "");
  EXPECT_EQ(words(8, false), "") << "a quarter of them on each device";
  EXPECT_EQ(words(31, false), "q: expected 32 heads, or a part of them on each device, found 31");
  EXPECT_EQ(words(8, true), "");
  EXPECT_EQ(words(32, true), "") << "repeated for each query head";
  EXPECT_EQ(words(3, true), "k: expected 8 heads, or a part of them on each device, found 3");
}

}  // namespace
}  // namespace ropewalk
