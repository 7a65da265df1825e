#include "ropewalk/apply/positional_encoding.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "ropewalk/base/random.h"
#include "ropewalk/tables/sinusoidal.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::random_tensor;

std::vector<float> pe_of(int64_t length, int64_t d_model) {
  std::vector<int64_t> positions(static_cast<size_t>(length));
  std::iota(positions.begin(), positions.end(), 0);
  return sinusoidal({.d_model = d_model}, positions);
}

TEST(PositionalEncoding, AddsTheTableInInference) {
  const PositionalEncoding module{.d_model = 6, .dropout = 0.5};
  const Tensor x = random_tensor({2, 4, 6}, 1);
  Tensor y = make_tensor(DType::f32, x.shape);
  forward(module, x.view(), y.view(), SequenceAxis::batch_first);
  const auto in = floats(x), out = floats(y), pe = pe_of(4, 6);
  for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], in[i] + pe[i % 24]);
}

TEST(PositionalEncoding, SequenceFirstIsSaidNotGuessed) {
  const PositionalEncoding module{.d_model = 6};
  const Tensor x = random_tensor({3, 5, 6}, 2);
  const Tensor turned = contiguous_copy(permuted(x.view(), {1, 0, 2}));
  Tensor a = x, b = turned;
  forward(module, x.view(), a.view(), SequenceAxis::batch_first);
  forward(module, turned.view(), b.view(), SequenceAxis::sequence_first);
  EXPECT_EQ(a.bytes, contiguous_copy(permuted(std::as_const(b).view(), {1, 0, 2})).bytes);
}

// DiffPoseTalk/DiffPoseTalk#20: pe[:, L] for pe[:, :L] gave all positions one vector.
TEST(PositionalEncoding, E03_EveryPositionHasItsOwnVector) {
  Tensor x = make_tensor(DType::f32, {1, 3, 8});
  forward({.d_model = 8}, std::as_const(x).view(), x.view(), SequenceAxis::batch_first);
  EXPECT_EQ(floats(x), pe_of(3, 8));
}

// SamLynnEvans/Transformer#8: the index ran out of the table, in no words.
TEST(PositionalEncoding, E06_LongerThanMaxLen) {
  Tensor x = make_tensor(DType::f32, {1, 5001, 2});
  EXPECT_ROPEWALK_ERROR(
      forward({.d_model = 2}, std::as_const(x).view(), x.view(), SequenceAxis::batch_first),
      ErrorCode::invalid_argument, "a sequence of 5001 tokens is longer than max_len 5000");
  EXPECT_EQ(floats(x), std::vector<float>(10002, 0));
  EXPECT_NO_THROW(forward({.d_model = 2, .max_len = 5001}, std::as_const(x).view(), x.view(),
                          SequenceAxis::batch_first));
}

TEST(PositionalEncoding, DropoutIsInvertedSeededAndTheSameOnAnyThreads) {
  const PositionalEncoding module{.d_model = 64, .dropout = 0.25};
  const Tensor x = random_tensor({2, 300, 64}, 3);
  Tensor plain = x, a = x, b = x, other = x;
  forward(module, x.view(), plain.view(), SequenceAxis::batch_first);
  forward(module, x.view(), a.view(), SequenceAxis::batch_first, {true, 7}, {.threads = 1});
  forward(module, x.view(), b.view(), SequenceAxis::batch_first, {true, 7}, {.threads = 4});
  forward(module, x.view(), other.view(), SequenceAxis::batch_first, {true, 8});
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_NE(a.bytes, other.bytes);
  const auto p = floats(plain), d = floats(a);
  size_t dropped = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const bool kept = uniform_at(7, i) >= 0.25f;
    EXPECT_EQ(d[i], kept ? p[i] * static_cast<float>(1 / 0.75) : 0.f);
    dropped += !kept;
  }
  // 38400 elements: five standard deviations of the binomial.
  const double n = static_cast<double>(p.size());
  EXPECT_NEAR(static_cast<double>(dropped), n * 0.25, 5 * std::sqrt(n * 0.25 * 0.75));
}

TEST(PositionalEncoding, MaskFollowsTheTensorNotTheStrides) {
  const PositionalEncoding module{.d_model = 8, .dropout = 0.5};
  const Tensor x = random_tensor({2, 3, 8}, 4);
  Tensor packed = x, wide = make_tensor(DType::f32, {2, 3, 16});
  TensorView view = wide.view();
  view.shape[2] = 8;
  view.strides[2] = 2;
  forward(module, x.view(), packed.view(), SequenceAxis::batch_first, {true, 1});
  forward(module, x.view(), view, SequenceAxis::batch_first, {true, 1});
  EXPECT_EQ(contiguous_copy(view).bytes, packed.bytes);
}

TEST(PositionalEncoding, BackwardUsesTheSameMask) {
  const PositionalEncoding module{.d_model = 8, .dropout = 0.3};
  for (SequenceAxis axis : {SequenceAxis::batch_first, SequenceAxis::sequence_first}) {
    Tensor zero = make_tensor(DType::f32, {2, 5, 8}),
           ones = testing::tensor_of({2, 5, 8}, std::vector<float>(80, 1));
    Tensor y = random_tensor({2, 5, 8}, 1), gradient = zero;
    forward(module, std::as_const(y).view(), y.view(), axis, {true, 9});
    backward(module, std::as_const(ones).view(), gradient.view(), axis, {true, 9});
    const auto out = floats(y), g = floats(gradient);
    for (size_t i = 0; i < g.size(); ++i) {
      EXPECT_EQ(g[i], out[i] == 0 ? 0.f : static_cast<float>(1 / 0.7));
    }
    backward(module, std::as_const(ones).view(), gradient.view(), axis);
    EXPECT_EQ(gradient.bytes, ones.bytes);
  }
}

TEST(PositionalEncoding, A31_DropoutOutsideZeroToOne) {
  Tensor x = make_tensor(DType::f32, {1, 1, 2});
  for (double p : {-0.1, 1.5, std::nan("")}) {
    EXPECT_ROPEWALK_ERROR(forward({.d_model = 2, .dropout = p}, std::as_const(x).view(), x.view(),
                                  SequenceAxis::batch_first),
                          ErrorCode::invalid_argument,
                          "dropout: expected a probability in 0..1, found ");
  }
  forward({.d_model = 2, .dropout = 1}, std::as_const(x).view(), x.view(),
          SequenceAxis::batch_first, {true, 1});
  EXPECT_EQ(floats(x), (std::vector<float>{0, 0}));
}

TEST(PositionalEncoding, WrongShapes) {
  Tensor x = make_tensor(DType::f32, {1, 2, 4}), y = make_tensor(DType::f32, {1, 2, 5});
  EXPECT_ROPEWALK_ERROR(
      forward({.d_model = 8}, std::as_const(x).view(), x.view(), SequenceAxis::batch_first),
      ErrorCode::invalid_argument, "expected [batch, seq, 8], found [1, 2, 4]");
  EXPECT_ROPEWALK_ERROR(
      forward({.d_model = 4}, std::as_const(x).view(), y.view(), SequenceAxis::batch_first),
      ErrorCode::invalid_argument, "out: expected [1, 2, 4]");
}

TEST(AddRows, ALearnedTable) {
  const Tensor x = random_tensor({2, 3, 4}, 5), rows = random_tensor({6, 4}, 6);
  Tensor y = x;
  add_rows(x.view(), rows.view(), y.view(), SequenceAxis::batch_first);
  const auto in = floats(x), table = floats(rows), out = floats(y);
  for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], in[i] + table[i % 12]);
  const Tensor small = random_tensor({2, 4}, 6);
  EXPECT_ROPEWALK_ERROR(add_rows(x.view(), small.view(), y.view(), SequenceAxis::batch_first),
                        ErrorCode::out_of_range, "3 tokens, but the table has 2 rows");
}

}  // namespace
}  // namespace ropewalk
