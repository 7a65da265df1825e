// ALiBi as BLOOM, Falcon-RW, MPT and shards of heads have it.
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/base/half.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/tensors.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::Fixture;
using testing::floats;

constexpr AlibiForm kForms[] = {AlibiForm::relative, AlibiForm::key_position, AlibiForm::symmetric};

TEST(AlibiModels, BiasOfBloom) {
  const Fixture fixture("alibi_models");
  const std::vector<int64_t> queries = {299};
  for (const int64_t heads : {8, 12, 71}) {
    const std::vector<float> bias = floats(alibi_bias(
        {.heads = heads, .form = AlibiForm::key_position}, queries, fixture.i64("key_positions")));
    const std::span<const float> expected = fixture.f32("bloom_" + std::to_string(heads));
    ASSERT_EQ(bias.size(), expected.size());
    for (size_t i = 0; i < bias.size(); ++i) {
      EXPECT_NEAR(bias[i], expected[i], testing::kAlibiSlopeFloat32 * std::fabs(expected[i])) << i;
    }
  }
}

// MPT's base is that of the next power of two, taken from the second slope on: the same slopes.
TEST(AlibiModels, BiasOfMpt) {
  const Fixture fixture("alibi_models");
  const std::vector<int64_t> last = {299};
  for (const int64_t heads : {8, 12, 71}) {
    for (const int bias_max : {4, 8, 16}) {
      const std::string name = "mpt_" + std::to_string(heads) + "_" + std::to_string(bias_max);
      const std::vector<float> bias =
          floats(alibi_bias({.heads = heads, .max_bias = static_cast<double>(bias_max)}, last,
                            fixture.i64("key_positions")));
      const std::span<const float> expected = fixture.f32(name);
      ASSERT_EQ(bias.size(), expected.size());
      for (size_t i = 0; i < bias.size(); ++i) {
        EXPECT_NEAR(bias[i], expected[i], testing::kAlibiSlopeFloat32 * std::fabs(expected[i]))
            << name << " " << i;
      }
    }
  }
}

// Slope, position and product in bf16: 259 is 260 there. torch's float32 slope may round to the
// other bf16 neighbour only where ours is next to the middle, which none of these is.
TEST(AlibiModels, BiasOfFalconIsThatOfBf16) {
  const Fixture fixture("alibi_models");
  const std::vector<int64_t> queries = {299};
  for (const int64_t heads : {8, 12, 71}) {
    const AlibiConfig falcon{.heads = heads,
                             .form = AlibiForm::key_position,
                             .dtype = DType::bf16,
                             .before_scale = true};
    const std::vector<float> bias =
        floats(alibi_bias(falcon, queries, fixture.i64("key_positions")));
    const std::span<const float> expected = fixture.f32("falcon_" + std::to_string(heads));
    ASSERT_EQ(bias.size(), expected.size());
    for (size_t i = 0; i < bias.size(); ++i) EXPECT_EQ(bias[i], expected[i]) << heads << " " << i;
  }
}

// Falcon divides q.k and the bias by sqrt(head_dim), BLOOM q.k only.
TEST(AlibiModels, FalconAddsTheBiasBeforeTheScale) {
  const AlibiConfig plain{.heads = 8};
  AlibiConfig falcon = plain;
  falcon.before_scale = true;
  EXPECT_EQ(alibi_score_slopes(plain, 0.125), alibi_slopes(plain));
  for (size_t h = 0; h < 8; ++h) {
    EXPECT_EQ(alibi_score_slopes(falcon, 0.125)[h], alibi_slopes(plain)[h] / 8);
  }
  const std::vector<int64_t> q = {9}, k = {1, 9};
  EXPECT_EQ(floats(alibi_bias(falcon, q, k, 0.125))[0], -0.5f);
  EXPECT_EQ(floats(alibi_bias(plain, q, k, 0.125))[0], -4.0f);
}

// Left padding: the distance is that of the positions, not of the places in the row
// (PaddlePaddle/PaddleNLP#6495); so with a later chunk (NVIDIA/TransformerEngine#1046).
TEST(AlibiModels, A06_DistanceOfPositions) {
  const Fixture fixture("alibi_models");
  const std::vector<int64_t> positions = {0, 0, 0, 1, 2, 3}, q = {3};
  const std::vector<float> bias =
      floats(alibi_bias({.heads = 8, .form = AlibiForm::key_position}, q, positions));
  const std::span<const float> expected = fixture.f32("bloom_padded");
  for (size_t i = 0; i < bias.size(); ++i) EXPECT_EQ(bias[i], expected[i]) << i;
  const std::vector<int64_t> far_q = {4100}, far_k = {4096};  // a later chunk of a sequence
  EXPECT_EQ(floats(alibi_bias({.heads = 8}, far_q, far_k))[0], -2.0f);
}

// A rank's slopes are those of its heads in the whole model.
ROPEWALK_PROPERTY(AlibiModels, A04_ShardsMakeTheWhole, [] {
  const int64_t heads = *rc::gen::inRange<int64_t>(1, 200);
  const int64_t ranks = *rc::gen::inRange<int64_t>(1, heads + 1);
  const DType dtype = *rc::gen::element(DType::f32, DType::bf16);
  std::vector<float> joined;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const int64_t first = heads * rank / ranks, end = heads * (rank + 1) / ranks;
    const AlibiConfig shard{
        .heads = heads, .first_head = first, .head_count = end - first, .dtype = dtype};
    RC_ASSERT(alibi_heads(shard) == end - first);
    for (float slope : alibi_slopes(shard)) joined.push_back(slope);
  }
  RC_ASSERT(joined == alibi_slopes({.heads = heads, .dtype = dtype}));
});

TEST(AlibiModels, A04_SecondHalfOfSixteen) {
  const std::vector<float> slopes = alibi_slopes({.heads = 16, .first_head = 8, .head_count = 8});
  EXPECT_EQ(slopes.size(), 8u);
  EXPECT_NEAR(slopes[0], 0.044194, 5e-7);
  EXPECT_EQ(slopes[7], 0.00390625f);
  EXPECT_EQ(alibi_slopes({.heads = 16, .first_head = 8}), slopes);
}

// Zero where query and key meet, linear in the distance, and the forms agree for a causal query up
// to one number for the row.
ROPEWALK_PROPERTY(AlibiModels, FormsAgreeUpToTheRow, [] {
  const int64_t q = *rc::gen::inRange<int64_t>(0, 100000);
  const int64_t k = *rc::gen::inRange<int64_t>(0, q + 1);
  const std::vector<int64_t> queries = {q}, keys = {k, q, 2 * q - k};
  const auto bias = [&](AlibiForm form) {
    return floats(alibi_bias({.heads = 4, .form = form}, queries, keys));
  };
  const std::vector<float> relative = bias(AlibiForm::relative);
  const std::vector<float> symmetric = bias(AlibiForm::symmetric);
  const std::vector<float> by_key = bias(AlibiForm::key_position);
  for (size_t h = 0; h < 12; h += 3) {
    RC_ASSERT(relative[h + 1] == 0 && symmetric[h + 1] == 0);
    RC_ASSERT(relative[h + 2] == -relative[h]);
    RC_ASSERT(symmetric[h] == relative[h] && symmetric[h + 2] == relative[h]);
    RC_ASSERT(by_key[h] - by_key[h + 1] == relative[h]);  // slopes are powers of two: exact
  }
});

TEST(AlibiModels, WrongShardsAreNamed) {
  EXPECT_ROPEWALK_ERROR(alibi_slopes({.heads = 8, .first_head = 8}), ErrorCode::invalid_argument,
                        "alibi first_head: expected 0..7, found 8");
  EXPECT_ROPEWALK_ERROR(alibi_slopes({.heads = 8, .first_head = -1}), ErrorCode::invalid_argument,
                        "found -1");
  EXPECT_ROPEWALK_ERROR(alibi_slopes({.heads = 8, .first_head = 6, .head_count = 3}),
                        ErrorCode::invalid_argument, "alibi head_count: expected 0..2, found 3");
  EXPECT_ROPEWALK_ERROR(alibi_slopes({.heads = 8, .dtype = DType::f16}), ErrorCode::unsupported,
                        "alibi dtype: expected f32 or bf16, found f16");
}

TEST(AlibiModels, NamesOfTheForms) {
  EXPECT_EQ(name(kForms[0]), "relative");
  EXPECT_EQ(name(kForms[1]), "key_position");
  EXPECT_EQ(name(kForms[2]), "symmetric");
}

}  // namespace
}  // namespace ropewalk
