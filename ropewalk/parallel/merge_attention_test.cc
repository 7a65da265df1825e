#include "ropewalk/parallel/merge_attention.h"

#include <cmath>
#include <limits>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::tensor_of;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Merged {
  float out, lse;
};

// One query, one head, one channel.
Merged merged(float out, float lse, float other_out, float other_lse) {
  Tensor a = tensor_of({1, 1, 1}, {out}), b = tensor_of({1, 1}, {lse}),
         c = tensor_of({1, 1, 1}, {other_out}), d = tensor_of({1, 1}, {other_lse});
  merge_attention({a.view(), b.view()}, {c.view(), d.view()});
  return {floats(a)[0], floats(b)[0]};
}

TEST(MergeAttention, WorkedNumber) {
  const Merged m = merged(0, 0, 4, std::log(3.0F));
  EXPECT_FLOAT_EQ(m.out, 3);
  EXPECT_FLOAT_EQ(m.lse, std::log(4.0F));
}

// What is of no key is left out, be it not a number.
TEST(MergeAttention, APartWithoutKeys) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(merged(2, 1, nan, -kInfinity).out, 2);
  EXPECT_EQ(merged(nan, -kInfinity, 2, 1).out, 2);
  EXPECT_EQ(merged(nan, -kInfinity, 2, 1).lse, 1);
  EXPECT_EQ(merged(0, -kInfinity, 0, -kInfinity).lse, -kInfinity);
}

TEST(MergeAttention, NotANumberStays) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(merged(1, 2, nan, nan).out));
  EXPECT_TRUE(std::isnan(merged(nan, nan, 1, 2).lse));
  EXPECT_TRUE(std::isnan(merged(1, 2, 3, kInfinity).out));
}

// Scores of thousands: one part is all there is.
TEST(MergeAttention, FarApart) {
  const Merged m = merged(1, 3000, 2, -3000);
  EXPECT_EQ(m.out, 1);
  EXPECT_EQ(m.lse, 3000);
}

TEST(MergeAttention, SinkIsALogitOfNoKey) {
  Tensor out = tensor_of({2, 1, 1}, {4, 0}), lse = tensor_of({1, 2}, {std::log(3.0F), -kInfinity});
  merge_sinks({out.view(), lse.view()}, std::vector<float>{0});
  EXPECT_FLOAT_EQ(floats(out)[0], 3);
  EXPECT_FLOAT_EQ(floats(lse)[0], std::log(4.0F));
  EXPECT_EQ(floats(lse)[1], -kInfinity);
}

TEST(MergeAttention, ShapesThatDoNotFit) {
  Tensor out = tensor_of({1, 1, 1}, {1}), lse = tensor_of({1, 1}, {1}),
         two = tensor_of({2, 1}, {1, 1});
  const AttentionParts parts{out.view(), lse.view()};
  EXPECT_ROPEWALK_ERROR(merge_attention(parts, {out.view(), two.view()}),
                        ErrorCode::invalid_argument,
                        "lse of the other keys: expected f32 [tokens, heads, channels]");
  EXPECT_ROPEWALK_ERROR(merge_sinks(parts, std::vector<float>{1, 2}), ErrorCode::invalid_argument,
                        "sinks: expected one for each of 1 heads, found 2");
}

}  // namespace
}  // namespace ropewalk
