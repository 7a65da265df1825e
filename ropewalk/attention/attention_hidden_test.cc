// What a query does not see does not reach it, whatever it is and however many rows do the same.
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/attention/attention_backward.h"
#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/base/error.h"
#include "ropewalk/kernels/simd/targets.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using testing::attended;
using testing::floats;
using testing::tensor_of;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLowest = std::numeric_limits<float>::lowest();

Tensor of_type(DType dtype, const Dims& shape, const std::vector<float>& values) {
  return converted(tensor_of(shape, values).view(), dtype);
}

void expect_all(const Tensor& out, float value) {
  for (const float found : floats(out)) EXPECT_EQ(found, value);
}

// 13 rows: tiles of a kernel with all rows alike, and with rows to spare.
TEST(AttentionHidden, ByAMask) {
  for (const std::string& target : available_targets()) {
    ASSERT_TRUE(cap_target(target));
    for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      for (int64_t queries = 1; queries <= 13; ++queries) {
        SCOPED_TRACE(target + " " + std::string(name(dtype)) + " " + std::to_string(queries));
        std::vector<unsigned char> seen;
        std::vector<float> ones;
        for (int64_t i = 0; i < queries; ++i) {
          seen.insert(seen.end(), {1, 0});
          ones.push_back(1);
        }
        const ConstTensorView mask =
            make_view(static_cast<const void*>(seen.data()), DType::boolean, {1, 1, queries, 2});
        expect_all(
            attended(of_type(dtype, {1, queries, 1, 1}, ones), of_type(dtype, {1, 2, 1, 1}, {0, 0}),
                     of_type(dtype, {1, 2, 1, 1}, {1, kNan}), {.mask = mask}),
            1);
      }
    }
  }
  cap_target("");
}

// Pairs of bf16 are multiplied together: one of them may be hidden.
TEST(AttentionHidden, ByTheOrderOfTokens) {
  for (const std::string& target : available_targets()) {
    ASSERT_TRUE(cap_target(target));
    for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      for (int64_t heads = 1; heads <= 16; ++heads) {
        SCOPED_TRACE(target + " " + std::string(name(dtype)) + " " + std::to_string(heads));
        const std::vector<float> ones(static_cast<size_t>(heads), 1);
        expect_all(
            attended(of_type(dtype, {1, 1, heads, 1}, ones),
                     of_type(dtype, {1, 2, 1, 1}, {1, kNan}),
                     of_type(dtype, {1, 2, 1, 1}, {3, kNan}), {.first_query = 0, .causal = true}),
            3);
      }
    }
  }
  cap_target("");
}

// Chunks are counted from token 0, whichever keys are left in a cache: query 10 of chunks of 4 sees
// 8, 9 and 10.
TEST(AttentionHidden, ByChunksOfTokensThatAreNamed) {
  const std::vector<int64_t> query = {10}, keys = {5, 6, 7, 8, 9, 10, 11, 12};
  const Tensor out =
      attended(tensor_of({1, 1, 1, 1}, {0}), tensor_of({1, 8, 1, 1}, std::vector<float>(8)),
               tensor_of({1, 8, 1, 1}, {5, 6, 7, 8, 9, 10, 11, 12}),
               {.query_tokens = query, .key_tokens = keys, .causal = true, .chunk = 4});
  EXPECT_FLOAT_EQ(floats(out)[0], 9);
}

// A row that the lowest float hides has a log-sum-exp, so that it has gradients; those of
// torch 2.15 for the same numbers.
TEST(AttentionHidden, ByTheLowestFloat) {
  const Tensor q = tensor_of({1, 2, 1, 1}, {1, 1}), k = tensor_of({1, 2, 1, 1}, {.5F, 1}),
               v = tensor_of({1, 2, 1, 1}, {1, 3}), d_out = tensor_of({1, 2, 1, 1}, {0, 1}),
               mask = tensor_of({1, 1, 2, 2}, {kLowest, kLowest, 0, 0});
  Tensor out = make_tensor(DType::f32, {1, 2, 1, 1}), lse = make_tensor(DType::f32, {1, 1, 2}),
         dq = out, dk = out, dv = out;
  AttentionOptions options{.scale = 1, .mask = mask.view(), .lse = lse.view()};
  attend(q.view(), k.view(), v.view(), out.view(), options);
  EXPECT_EQ(floats(lse)[0], kLowest);
  attend_backward(
      {q.view(), k.view(), v.view(), std::as_const(out).view(), std::as_const(lse).view()},
      d_out.view(), {dq.view(), dk.view(), dv.view()}, options);
  const auto expect = [](const Tensor& found, float first, float second) {
    EXPECT_NEAR(floats(found)[0], first, 1e-6);
    EXPECT_NEAR(floats(found)[1], second, 1e-6);
  };
  expect(dq, 0, .2350037F);
  expect(dk, -.4700074F, .4700074F);
  expect(dv, .3775407F, .6224593F);
  EXPECT_ROPEWALK_ERROR(attend_backward({q.view(), k.view(), v.view(), std::as_const(out).view(),
                                         std::as_const(lse).view()},
                                        d_out.view(), {dq.view(), dk.view(), dk.view()}, options),
                        ErrorCode::invalid_argument, "dk: overlaps dv");
}

}  // namespace
}  // namespace ropewalk
