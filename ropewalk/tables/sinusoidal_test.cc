#include "ropewalk/tables/sinusoidal.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/oracle.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<float> row(const SinusoidalConfig& config, int64_t position) {
  return sinusoidal(config, std::vector<int64_t>{position});
}

// codertimo/BERT-pytorch#78: an odd width has one sine more than cosines.
TEST(Sinusoidal, E01_OddDimensions) {
  EXPECT_THAT(row({.d_model = 3}, 1), Pointwise(FloatNear(5e-7f), {.841471f, .540302f, .002154f}));
  EXPECT_THAT(row({.d_model = 5}, 3),
              Pointwise(FloatNear(5e-7f), {.14112f, -.989992f, .075285f, .997162f, .001893f}));
  EXPECT_THAT(row({.d_model = 1}, 1), Pointwise(FloatNear(5e-7f), {.841471f}));
}

// tensorflow/tensor2tensor#1423: the code and the paper differ in order and spacing.
TEST(Sinusoidal, E04_ThePaperAndTensor2Tensor) {
  EXPECT_THAT(row({.d_model = 8}, 1),
              Pointwise(FloatNear(5e-7f),
                        {.841471f, .540302f, .099833f, .995004f, .01f, .99995f, .001f, 1.f}));
  EXPECT_THAT(row({.d_model = 8, .layout = SinusoidalLayout::fairseq}, 1),
              Pointwise(FloatNear(5e-7f),
                        {.841471f, .046399f, .002154f, .0001f, .540302f, .998923f, .999998f, 1.f}));
}

TEST(Sinusoidal, LayoutsHoldTheSameNumbersInAnotherOrder) {
  for (int64_t d : {4, 7, 8, 33}) {
    const auto paper = row({.d_model = d}, 77),
               marian = row({.d_model = d, .layout = SinusoidalLayout::sin_cos}, 77);
    for (int64_t c = 0; c < d; ++c) {
      EXPECT_EQ(paper[static_cast<size_t>(c)],
                marian[static_cast<size_t>(c % 2 == 0 ? c / 2 : (d + 1) / 2 + c / 2)])
          << d << " " << c;
    }
  }
  const auto fairseq = row({.d_model = 10, .layout = SinusoidalLayout::fairseq}, 9),
             music = row({.d_model = 10, .layout = SinusoidalLayout::cos_sin}, 9);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(fairseq[i], music[5 + i]);
    EXPECT_EQ(fairseq[5 + i], music[i]);
  }
}

TEST(Sinusoidal, PositionZeroIsZeroAndOne) {
  const auto zero = row({.d_model = 6}, 0);
  EXPECT_EQ(zero, (std::vector<float>{0, 1, 0, 1, 0, 1}));
}

TEST(Sinusoidal, OffsetAndPadding) {
  const SinusoidalConfig m2m100{
      .d_model = 8, .layout = SinusoidalLayout::fairseq, .offset = 2, .padding_position = 1};
  EXPECT_EQ(row(m2m100, 0), row({.d_model = 8, .layout = SinusoidalLayout::fairseq}, 2));
  EXPECT_EQ(row(m2m100, -1), std::vector<float>(8, 0));
}

ROPEWALK_PROPERTY(Sinusoidal, IsTheExactValueCorrectlyRounded, [] {
  const int64_t d = *rc::gen::inRange(1, 700);
  const int64_t position =
      *rc::gen::inRange<int64_t>(-5000, int64_t{1} << *rc::gen::inRange(1, 62));
  const auto pe = row({.d_model = d}, position);
  for (int64_t c = 0; c < d; c += 1 + d / 9) {
    const auto want = testing::ideal_cos_sin(10000, d, c / 2, position);
    RC_ASSERT(pe[static_cast<size_t>(c)] == (c % 2 == 0 ? want.sin : want.cos));
  }
});

ROPEWALK_PROPERTY(Sinusoidal, ProductsDependOnTheDistanceOnly, [] {
  const int64_t d = 2 * *rc::gen::inRange(1, 200), p = *rc::gen::inRange(0, 100000),
                q = *rc::gen::inRange(0, 100000), shift = *rc::gen::inRange(0, 1000000);
  const auto product = [&](int64_t a, int64_t b) {
    const auto x = row({.d_model = d}, a), y = row({.d_model = d}, b);
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += double{x[i]} * y[i];
    return sum;
  };
  const double tolerance = 0x1p-24 * static_cast<double>(d);  // half an ulp in each factor
  RC_ASSERT(std::fabs(product(p, q) - product(p + shift, q + shift)) <= tolerance);
  RC_ASSERT(std::fabs(product(p, p) - static_cast<double>(d) / 2) <= tolerance);
  RC_ASSERT(product(p, q) <= product(p, p) + tolerance);
});

TEST(Sinusoidal, AnyStrides) {
  const std::vector<int64_t> positions = {3, 1, 2};
  const SinusoidalConfig config{.d_model = 5};
  const auto want = sinusoidal(config, positions);
  std::vector<float> memory(40, 9);
  const TensorView view{{memory.data() + 30, DType::f32, {3, 5}, {-10, 2}}};
  sinusoidal(config, positions, view, {.threads = 2});
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t c = 0; c < 5; ++c) {
      EXPECT_EQ(memory[static_cast<size_t>(30 - 10 * i + 2 * c)],
                want[static_cast<size_t>(i * 5 + c)]);
    }
  }
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 9.f), 25);
}

TEST(Sinusoidal, WrongArgumentsAreNamed) {
  std::vector<float> memory(64);
  const std::vector<int64_t> one = {0};
  const auto view = [&](const Dims& shape) {
    return make_view(static_cast<void*>(memory.data()), DType::f32, shape);
  };
  EXPECT_ROPEWALK_ERROR(sinusoidal({.d_model = 0}, one), ErrorCode::invalid_argument,
                        "d_model: expected 1..2^20, found 0");
  EXPECT_ROPEWALK_ERROR(sinusoidal({.d_model = -2}, one), ErrorCode::invalid_argument,
                        "d_model: expected 1..2^20, found -2");
  EXPECT_ROPEWALK_ERROR(sinusoidal({.d_model = 2, .layout = SinusoidalLayout::fairseq}, one),
                        ErrorCode::invalid_argument,
                        "d_model: expected at least 4, found 2; layout fairseq divides");
  EXPECT_ROPEWALK_ERROR(sinusoidal({.d_model = 4, .base = 0.5}, one), ErrorCode::invalid_argument,
                        "base of an ideal spectrum: expected 1..2^60, found 0.5");
  EXPECT_ROPEWALK_ERROR(sinusoidal({.d_model = 4}, one, view({1, 5})), ErrorCode::invalid_argument,
                        "expected f32, bf16 or f16 [1, 4]");
  const std::vector<int64_t> last = {std::numeric_limits<int64_t>::max()};
  EXPECT_ROPEWALK_ERROR(sinusoidal({.d_model = 4, .offset = 1}, last), ErrorCode::invalid_argument,
                        "end of int64");
}

TEST(NaiveEncodings, IntegerAndOneHot) {
  EXPECT_EQ(integer_encoding(std::vector<int64_t>{0, 1, 7}), (std::vector<float>{0, 1, 7}));
  EXPECT_EQ(one_hot_encoding(std::vector<int64_t>{2, 0}, 3),
            (std::vector<float>{0, 0, 1, 1, 0, 0}));
  EXPECT_ROPEWALK_ERROR(one_hot_encoding(std::vector<int64_t>{3}, 3), ErrorCode::out_of_range,
                        "position 3");
}

}  // namespace
}  // namespace ropewalk
