#include "ropewalk/apply/bucket_bias.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"

namespace ropewalk {
namespace {

using testing::Fixture;

TEST(BucketBias, BucketsAreThoseOfTransformers) {
  const Fixture fixture("buckets");
  const std::span<const int64_t> distances = fixture.i64("distances");
  for (const auto& sizes : fixture.info().at("cases")) {
    for (const bool both : {true, false}) {
      const BucketBiasConfig config{
          .heads = 1, .buckets = sizes[0], .max_distance = sizes[1], .bidirectional = both};
      const std::string name = "buckets_" + std::to_string(config.buckets) + "_" +
                               std::to_string(config.max_distance) + (both ? "_both" : "_before");
      const std::span<const int64_t> expected = fixture.i64(name);
      for (size_t i = 0; i < distances.size(); ++i) {
        ASSERT_EQ(relative_bucket(config, distances[i]), expected[i]) << name << distances[i];
      }
    }
  }
}

TEST(BucketBias, FarKeysShareTheLastBucket) {
  const BucketBiasConfig config{.heads = 1};
  EXPECT_EQ(relative_bucket(config, -20), 10);
  EXPECT_EQ(relative_bucket(config, 20), 26);
  EXPECT_EQ(relative_bucket(config, std::numeric_limits<int64_t>::min()), 15);
  EXPECT_EQ(relative_bucket(config, std::numeric_limits<int64_t>::max()), 31);
}

TEST(BucketBias, TheBiasOfALayerIsThatOfTransformers) {
  const Fixture fixture("buckets");
  const std::vector<int64_t> positions = {0, 1, 2, 3, 4, 5, 6};
  for (const std::string name : {"encoder", "decoder"}) {
    const BucketBiasConfig config{.heads = 3, .bidirectional = name == "encoder"};
    const ConstTensorView table = fixture.view(name + "_table");
    const Tensor bias = bucket_bias(config, table, positions, positions);
    const std::span<const float> expected = fixture.f32(name + "_bias");
    ASSERT_EQ(bias.bytes.size(), expected.size_bytes());
    EXPECT_EQ(std::memcmp(bias.bytes.data(), expected.data(), expected.size_bytes()), 0) << name;
    // The same numbers, by distance.
    const std::vector<float> by_distance = bias_by_distance(config, table);
    const auto* numbers = reinterpret_cast<const float*>(bias.bytes.data());
    for (int64_t h = 0; h < 3; ++h) {
      for (int64_t d = -6; d <= 6; ++d) {
        const int64_t q = d < 0 ? -d : 0, k = d < 0 ? 0 : d;
        EXPECT_EQ(by_distance[static_cast<size_t>(h * 257 + 128 + d)],
                  numbers[(h * 7 + q) * 7 + k]);
      }
    }
  }
}

TEST(BucketBias, WhatCannotBeIsAnError) {
  EXPECT_ROPEWALK_ERROR(relative_bucket({.heads = 1, .buckets = 2}, 0), ErrorCode::invalid_argument,
                        "expected 2 buckets or more a direction, found 1");
  EXPECT_ROPEWALK_ERROR(relative_bucket({.heads = 1, .max_distance = 8}, 0),
                        ErrorCode::invalid_argument, "expected a max_distance in 9..2^24, found 8");
  const std::vector<float> numbers(64);
  const ConstTensorView table =
      make_view(static_cast<const void*>(numbers.data()), DType::f32, {2, 32});
  EXPECT_ROPEWALK_ERROR(bias_by_distance({.heads = 2}, table), ErrorCode::invalid_argument,
                        "expected a table [buckets, heads] [32, 2] of f32, found [2, 32] of f32");
}

}  // namespace
}  // namespace ropewalk
