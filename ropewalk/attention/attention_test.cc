#include "ropewalk/attention/attention.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/attention/attention_testing.h"

namespace ropewalk {
namespace {

using testing::attended;
using testing::floats;
using testing::numbers;
using testing::random_tensor;
using testing::Strided;
using testing::tensor_of;
using testing::tokens_of;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Of normal numbers: the scores' error, (D + 3) roundings of a sum of size 3 to 10, moves the
// weights by as much, relative; the weighted mean of v, of size about 4, follows.
constexpr double kTolerance = 96 * 0x1p-24;

ConstTensorView mask_view(const std::vector<uint8_t>& mask, int64_t batch) {
  return make_view(static_cast<const void*>(mask.data()), DType::u8,
                   {batch, static_cast<int64_t>(mask.size()) / batch});
}

TEST(Attend, TheWorkedNumber) {
  const Tensor q = tensor_of({1, 1, 1, 1}, {1}), k = tensor_of({1, 2, 1, 1}, {0, std::log(3.0f)}),
               v = tensor_of({1, 2, 1, 1}, {0, 4});
  EXPECT_NEAR(floats(attended(q, k, v))[0], 3, 1e-6);
}

struct Case {
  int64_t batch, queries, keys, heads, kv_heads, dim, width;
  bool causal, alibi, masked;
  double scale;
};

const Case kCases[] = {
    {1, 1, 1, 1, 1, 1, 1, false, false, false, 0},
    {2, 5, 5, 4, 2, 8, 8, false, false, false, 0},
    {2, 33, 33, 4, 1, 16, 20, true, false, false, 0},
    {1, 70, 150, 2, 2, 64, 64, true, false, false, 0},  // chunked prefill
    {2, 150, 70, 3, 3, 24, 5, true, false, false, 0},   // the first 80 queries see nothing
    {3, 40, 40, 6, 2, 17, 33, true, true, true, 0},
    {2, 40, 66, 5, 5, 128, 128, false, true, true, 0.25},
    {2, 1, 200, 8, 2, 32, 32, true, true, true, 0},  // decode
};

TEST(Attend, EqualsTheDefinitionInFloat64) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(::testing::Message() << c.queries << " queries, " << c.keys << " keys");
    const Tensor q = random_tensor({c.batch, c.queries, c.heads, c.dim}, 1),
                 k = random_tensor({c.batch, c.keys, c.kv_heads, c.dim}, 2),
                 v = random_tensor({c.batch, c.keys, c.kv_heads, c.width}, 3);
    std::vector<float> slopes;
    for (int64_t h = 0; h < c.heads; ++h) slopes.push_back(std::exp2(-static_cast<float>(h)));
    std::vector<uint8_t> mask;
    for (int64_t i = 0; i < c.batch * c.keys; ++i) mask.push_back(i % 3 == 1 ? 0 : 1);
    AttentionOptions options{.causal = c.causal, .scale = c.scale};
    if (c.alibi) options.alibi_slopes = slopes;
    if (c.masked) options.key_mask = mask_view(mask, c.batch);
    const auto exact = testing::exact_attention(q, k, v, options);
    const auto out = floats(attended(q, k, v, options));
    for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], exact[i], kTolerance) << i;
  }
}

TEST(Attend, ANanThatIsHiddenIsNotSeen) {
  Tensor q = random_tensor({2, 40, 4, 16}, 1), k = random_tensor({2, 40, 2, 16}, 2),
         v = random_tensor({2, 40, 2, 16}, 3);
  const std::vector<uint8_t> mask(80, 1);
  std::vector<uint8_t> padded = mask;
  padded[3] = padded[40] = 0;
  const auto clean = floats(attended(q, k, v, {.causal = true, .key_mask = mask_view(padded, 2)}));
  const auto row = static_cast<size_t>(2 * 16);
  for (auto values : {numbers(k), numbers(v)}) {
    for (size_t token : {3, 39, 40, 79}) std::fill_n(&values[token * row], row, kNan);
  }
  const auto out = floats(attended(q, k, v, {.causal = true, .key_mask = mask_view(padded, 2)}));
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t token = i / 64;
    if (token == 39 || token == 79) {
      EXPECT_TRUE(std::isnan(out[i])) << i;
    } else {
      ASSERT_EQ(out[i], clean[i]) << i;
    }
  }
}

// transformers' attention_mask is int64; every other number here is another key's.
TEST(Attend, AMaskMayBeAnyIntegerType) {
  const Tensor q = random_tensor({2, 4, 2, 8}, 1), k = random_tensor({2, 3, 2, 8}, 2);
  const std::vector<uint8_t> mask = {0, 1, 1, 1, 1, 0};
  const auto expected = floats(attended(q, k, k, {.key_mask = mask_view(mask, 2)}));
  const std::vector<int64_t> wide = {0, 7, 1, 7, 1, 7, 1, 7, 1, 7, 0, 7};
  const std::vector<int32_t> narrow(mask.begin(), mask.end());
  const Dims shape{2, 3};
  EXPECT_EQ(floats(attended(q, k, k, {.key_mask = {wide.data(), DType::i64, shape, {6, 2}}})),
            expected);
  EXPECT_EQ(floats(attended(q, k, k, {.key_mask = make_view(narrow.data(), DType::i32, shape)})),
            expected);
  EXPECT_EQ(floats(attended(q, k, k, {.key_mask = make_view(mask.data(), DType::boolean, shape)})),
            expected);
}

TEST(Attend, AQueryThatSeesNothingGivesZeros) {
  const Tensor q = random_tensor({2, 3, 2, 4}, 1), k = random_tensor({2, 5, 2, 4}, 2);
  const std::vector<uint8_t> mask = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0};
  const auto out = floats(attended(q, k, k, {.key_mask = mask_view(mask, 2)}));
  for (size_t i = 0; i < 24; ++i) EXPECT_NE(out[i], 0);
  for (size_t i = 24; i < 48; ++i) EXPECT_EQ(out[i], 0);
  const Tensor none = make_tensor(DType::f32, {2, 0, 2, 4});
  EXPECT_EQ(floats(attended(q, none, none)), std::vector<float>(48));
}

TEST(Attend, LargeScoresStayStable) {
  Tensor q = random_tensor({1, 40, 2, 16}, 1), k = random_tensor({1, 40, 2, 16}, 2),
         v = random_tensor({1, 40, 2, 16}, 3);
  for (float& x : numbers(q)) x *= 2500;  // scores of +-1e4 and more
  for (float out : floats(attended(q, k, v, {.causal = true}))) {
    EXPECT_TRUE(std::isfinite(out));
    EXPECT_LE(std::abs(out), 6);
  }
}

// The weights and their sum are added up in different orders.
TEST(Attend, OnesGiveOnes) {
  const Tensor q = random_tensor({2, 70, 4, 16}, 1), k = random_tensor({2, 200, 2, 16}, 2);
  Tensor v = make_tensor(DType::f32, {2, 200, 2, 19});
  for (float& x : numbers(v)) x = 1;
  for (float out : floats(attended(q, k, v, {.causal = true}))) {
    ASSERT_NEAR(out, 1, 32 * 0x1p-24);
  }
}

TEST(Attend, SixteenBitInputsAreConvertedFirst) {
  for (DType dtype : {DType::bf16, DType::f16}) {
    const Tensor q = random_tensor({2, 9, 4, 8}, 1, dtype),
                 k = random_tensor({2, 9, 2, 8}, 2, dtype),
                 v = random_tensor({2, 9, 2, 8}, 3, DType::f16);
    const Tensor want = attended(converted(q.view(), DType::f32), converted(k.view(), DType::f32),
                                 converted(v.view(), DType::f32), {.causal = true});
    EXPECT_EQ(attended(q, k, v, {.causal = true}).bytes, want.bytes) << name(dtype);
  }
}

TEST(Attend, AnyStridesGiveTheSameBits) {
  const Tensor q = random_tensor({2, 35, 4, 24}, 1), k = random_tensor({2, 70, 2, 24}, 2),
               v = random_tensor({2, 70, 2, 20}, 3);
  const Tensor want = attended(q, k, v, {.causal = true});
  for (const Dims& axes :
       {Dims{0, 1, 2, 3}, Dims{0, 2, 1, 3}, Dims{3, 1, 2, 0}, Dims{3, 2, 1, 0}}) {
    Strided out(make_tensor(DType::f32, want.shape), axes);
    attend(Strided(q, axes).view, Strided(k, axes).view, Strided(v, axes).view, out.view,
           {.causal = true});
    EXPECT_EQ(floats(out.view), floats(want));
    for (size_t i = 1; i < out.memory.size(); i += 2) ASSERT_TRUE(std::isnan(out.memory[i]));
  }
}

TEST(Attend, MisalignedMemory) {
  const Tensor q = random_tensor({2, 5, 4, 8}, 1);
  std::vector<std::byte> in(q.bytes.size() + 1), out(q.bytes.size() + 3);
  std::memcpy(in.data() + 1, q.bytes.data(), q.bytes.size());
  const ConstTensorView odd =
      make_view(static_cast<const void*>(in.data() + 1), DType::f32, q.shape);
  const TensorView result = make_view(static_cast<void*>(out.data() + 3), DType::f32, q.shape);
  attend(odd, odd, odd, result);
  EXPECT_EQ(floats(result), floats(attended(q, q, q)));
}

TEST(Attend, LayoutsSayTheSame) {
  const Tensor q = random_tensor({1, 6, 4, 8}, 1), k = random_tensor({1, 6, 2, 8}, 2);
  const Tensor want = attended(q, k, k, {.causal = true});
  const Tensor qt = contiguous_copy(permuted(q.view(), {0, 2, 1, 3})),
               kt = contiguous_copy(permuted(k.view(), {0, 2, 1, 3}));
  Tensor out = make_tensor(DType::f32, qt.shape);
  attend(qt.view(), kt.view(), kt.view(), out.view(),
         {.tensor_layout = TensorLayout::bhsd, .causal = true});
  EXPECT_EQ(floats(permuted(std::as_const(out).view(), {0, 2, 1, 3})), floats(want));
  Tensor flat = make_tensor(DType::f32, {6, 4, 8});
  const auto flat_k = make_view(static_cast<const void*>(k.bytes.data()), DType::f32, {6, 2, 8});
  for (TensorLayout layout : {TensorLayout::bshd, TensorLayout::thd}) {
    attend(make_view(static_cast<const void*>(q.bytes.data()), DType::f32, {6, 4, 8}), flat_k,
           flat_k, flat.view(), {.tensor_layout = layout, .causal = true});
    EXPECT_EQ(flat.bytes, want.bytes);
  }
}

TEST(AttentionScores, AreScaledProductsPlusBias) {
  const Tensor q = random_tensor({2, 3, 4, 8}, 1), k = random_tensor({2, 5, 2, 8}, 2);
  const std::vector<float> slopes = {0.5f, 0.25f, 0.125f, 0};
  const std::vector<uint8_t> mask = {1, 1, 1, 1, 1, 1, 0, 1, 1, 1};
  Tensor scores = make_tensor(DType::f32, {2, 4, 3, 5});
  attention_scores(
      q.view(), k.view(), scores.view(),
      {.causal = true, .scale = 2, .alibi_slopes = slopes, .key_mask = mask_view(mask, 2)});
  const auto out = floats(scores), qs = floats(q), ks = floats(k);
  for (size_t at = 0; at < out.size(); ++at) {
    const size_t j = at % 5, i = at / 5 % 3, h = at / 15 % 4, b = at / 60;
    if (j > i + 2 || mask[b * 5 + j] == 0) {
      EXPECT_EQ(out[at], -std::numeric_limits<float>::infinity());
      continue;
    }
    double dot = 0;
    for (size_t c = 0; c < 8; ++c) {
      dot += static_cast<double>(qs[((b * 3 + i) * 4 + h) * 8 + c]) *
             ks[((b * 5 + j) * 2 + h / 2) * 8 + c];
    }
    const double distance = static_cast<double>(j) - static_cast<double>(i + 2);
    EXPECT_NEAR(out[at], 2 * dot + static_cast<double>(slopes[h]) * distance, 32 * 0x1p-24);
  }
}

TEST(AttentionScores, OfOneSequenceNeedNoBatch) {
  const Tensor q = random_tensor({3, 4, 8}, 1), k = random_tensor({5, 4, 8}, 2);
  Tensor scores = make_tensor(DType::f32, {4, 3, 5});
  attention_scores(q.view(), k.view(), scores.view());
  Tensor turned = make_tensor(DType::f32, {1, 4, 3, 5});
  const Tensor qt = contiguous_copy(permuted(q.view(), {1, 0, 2})),
               kt = contiguous_copy(permuted(k.view(), {1, 0, 2}));
  attention_scores(make_view(static_cast<const void*>(qt.bytes.data()), DType::f32, {1, 4, 3, 8}),
                   make_view(static_cast<const void*>(kt.bytes.data()), DType::f32, {1, 4, 5, 8}),
                   turned.view(), {.tensor_layout = TensorLayout::bhsd});
  EXPECT_EQ(scores.bytes, turned.bytes);
}

}  // namespace
}  // namespace ropewalk
