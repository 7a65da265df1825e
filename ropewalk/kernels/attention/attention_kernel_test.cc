#include "ropewalk/kernels/attention/attention_kernel.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/base/random.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> normals(int64_t count, uint64_t seed) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(normal_at(seed, static_cast<uint64_t>(i)));
  return values;
}

TEST(AttentionExp, IsWithinTwoUlpOfTheExactValue) {
  double worst = 0;
  for (float x = 0; x >= -87.3f; x = std::nextafter(x * 1.00001f - 1e-6f, -kInfinity)) {
    const double exact = std::exp(static_cast<double>(x));
    const auto rounded = static_cast<float>(exact);
    const double ulp = std::nextafter(rounded, kInfinity) - static_cast<double>(rounded);
    worst = std::max(worst, std::abs(attention_exp(x) - exact) / ulp);
  }
  EXPECT_LT(worst, 2);
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST(AttentionExp, AtTheEnds) {
  EXPECT_EQ(attention_exp(0.0f), 1);
  EXPECT_EQ(attention_exp(-0.0f), 1);
  EXPECT_EQ(attention_exp(-88), 0);
  EXPECT_EQ(attention_exp(-kInfinity), 0);
  EXPECT_EQ(attention_exp(std::numeric_limits<float>::lowest()), 0);
  EXPECT_TRUE(std::isnan(attention_exp(kNan)));
  EXPECT_TRUE(std::isnan(attention_exp(-kNan)));
}

TEST(AttentionDot, AddsEveryChannelForEveryLength) {
  for (int64_t count = 0; count <= 70; ++count) {
    const auto a = normals(count, 1), b = normals(count, 2);
    double exact = 0, size = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      exact += static_cast<double>(a[i]) * b[i];
      size += std::abs(static_cast<double>(a[i]) * b[i]);
    }
    // One rounding for each product, at most 5 + 4 for the sums of 70 in 16 lanes.
    EXPECT_NEAR(attention_dot(a.data(), b.data(), count), exact, 10 * 0x1p-24 * size) << count;
  }
}

TEST(AttentionDot, TheOrderIsTheStatedOne) {
  const auto a = normals(37, 3), b = normals(37, 4);
  float lanes[16] = {};
  for (size_t i = 0; i < a.size(); ++i) lanes[i % 16] += a[i] * b[i];
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  EXPECT_EQ(attention_dot(a.data(), b.data(), 37), lanes[0]);
}

TEST(AttentionSoftmax, OfNoScoreIsNothing) { EXPECT_EQ(attention_softmax(nullptr, 0, 0), 0); }

TEST(AttentionSoftmax, SubtractsTheMaximum) {
  std::vector<float> scores = {1e4f, 1e4f, -1e4f};
  EXPECT_EQ(attention_softmax(scores.data(), 0, 3), 2);
  EXPECT_EQ(scores, (std::vector<float>{1, 1, 0}));
}

TEST(AttentionSoftmax, ShowsNanAndInfinity) {
  for (float bad : {kNan, kInfinity}) {
    std::vector<float> scores = {0, bad, 1};
    EXPECT_TRUE(std::isnan(attention_softmax(scores.data(), 0, 3))) << bad;
  }
  std::vector<float> scores = {0, -kInfinity};
  EXPECT_EQ(attention_softmax(scores.data(), 0, 2), 1);
}

ROPEWALK_PROPERTY(AttentionSoftmax, DoesNotDependOnAConstantAddedToAllScores, [] {
  const auto count = *rc::gen::inRange<int64_t>(1, 200);
  const auto shift = static_cast<float>(*rc::gen::inRange(-1000, 1000));
  // Multiples of 2^-8, so that the addition is exact.
  auto a = *rc::gen::container<std::vector<float>>(
      static_cast<size_t>(count), rc::gen::map(rc::gen::inRange(-5000, 5000),
                                               [](int i) { return static_cast<float>(i) / 256; }));
  auto b = a;
  for (float& value : b) value += shift;
  RC_ASSERT(attention_softmax(a.data(), 0, count) == attention_softmax(b.data(), 0, count));
  RC_ASSERT(a == b);
});

// A block of 3 queries, which see 0, 70 and 130 of 130 keys.
struct Block {
  static constexpr int64_t kKeys = 130;
  std::vector<int64_t> seen = {0, 70, kKeys};
  std::vector<float> scores = std::vector<float>(3 * kKeys, kNan);
  AttentionBlock block() {
    return {.queries = 3, .seen = seen.data(), .scores = scores.data(), .score_stride = kKeys};
  }
};

TEST(AttentionScores, OnlyOfKeysThatAreSeen) {
  Block b;
  const auto q = normals(3 * 20, 5), k = normals(Block::kKeys * 20, 6);
  attention_scores_of(b.block(), {q.data(), 20, 1, 20}, {k.data(), 20, 1, 20});
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t n = 0; n < Block::kKeys; ++n) {
      const float score = b.scores[static_cast<size_t>(r * Block::kKeys + n)];
      if (n < b.seen[static_cast<size_t>(r)]) {
        EXPECT_EQ(score, attention_dot(q.data() + r * 20, k.data() + n * 20, 20));
      } else {
        EXPECT_TRUE(std::isnan(score));
      }
    }
  }
}

TEST(AttentionWeightedSum, OfOnesIsTheSumOfTheSoftmaxBitForBit) {
  for (int64_t channels : {1, 7, 16, 35}) {
    Block b;
    b.scores = normals(3 * Block::kKeys, 7);
    float totals[3];
    for (int64_t r = 0; r < 3; ++r) {
      totals[r] =
          attention_softmax(b.scores.data() + r * Block::kKeys, 0, b.seen[static_cast<size_t>(r)]);
    }
    const std::vector<float> ones(static_cast<size_t>(Block::kKeys * channels), 1);
    std::vector<float> sums(static_cast<size_t>(3 * channels), kNan);
    attention_weighted_sum(b.block(), {ones.data(), channels, 1, channels}, sums.data());
    for (int64_t i = 0; i < 3 * channels; ++i) {
      EXPECT_EQ(sums[static_cast<size_t>(i)], totals[i / channels]) << channels;
    }
  }
}

TEST(AttentionWeightedSum, StridesAndAnIndexChangeNoBit) {
  constexpr int64_t kChannels = 19, kKeys = Block::kKeys;
  Block b;
  b.scores = normals(3 * kKeys, 8);
  const auto values = normals(kKeys * kChannels, 9);
  // The same values channel by channel, in the opposite order.
  std::vector<float> turned(values.size());
  std::vector<int64_t> index(kKeys);
  for (int64_t n = 0; n < kKeys; ++n) {
    index[static_cast<size_t>(n)] = kKeys - 1 - n;
    for (int64_t c = 0; c < kChannels; ++c) {
      turned[static_cast<size_t>(c * kKeys + kKeys - 1 - n)] =
          values[static_cast<size_t>(n * kChannels + c)];
    }
  }
  std::vector<float> plain(3 * kChannels), strided(3 * kChannels);
  attention_weighted_sum(b.block(), {values.data(), kChannels, 1, kChannels}, plain.data());
  attention_weighted_sum(b.block(), {turned.data(), 1, kKeys, kChannels, index.data()},
                         strided.data());
  EXPECT_EQ(plain, strided);
}

}  // namespace
}  // namespace ropewalk
