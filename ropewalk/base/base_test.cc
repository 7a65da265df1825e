#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/base/fraction.h"
#include "ropewalk/base/half.h"
#include "ropewalk/base/overlap.h"
#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/random.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

TEST(Escaped, ControlCharactersAndBrokenUtf8) {
  EXPECT_EQ(escaped("我 愛\n\t\x1b[31m\x7f"), "我 愛\\n\\t\\x1b[31m\\x7f");
  EXPECT_EQ(escaped("\xff\xe6\x88"), "\\xff\\xe6\\x88");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(escaped("\xc2\x9b\xc0\xaf"), "\\xc2\\x9b\\xc0\\xaf");  // C1 control, overlong slash
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(escaped(std::string(200, 'x')), std::string(120, 'x') + "...");
}

TEST(Half, EveryF16GoesThereAndBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = float_from_f16(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_f16(f16_from_float(value))));
      continue;
    }
    EXPECT_EQ(f16_from_float(value), bits);
    const int exponent = (bits >> 10) & 31;
    const double fraction = bits & 1023;
    const double want = exponent == 31 ? INFINITY
                        : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                       : std::ldexp(fraction, -24);
    EXPECT_EQ(std::fabs(value), want);
  }
}

TEST(Half, EveryBf16GoesThereAndBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = float_from_bf16(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_bf16(bf16_from_float(value))));
    } else {
      EXPECT_EQ(bf16_from_float(value), bits);
    }
  }
}

ROPEWALK_PROPERTY(Half, RoundsToTheNearestEven, [](uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  RC_PRE(std::isfinite(value));
  for (auto [down, up] :
       {std::pair<uint16_t (*)(float), float (*)(uint16_t)>{f16_from_float, float_from_f16},
        {bf16_from_float, float_from_bf16}}) {
    const uint16_t here = down(value);
    if (std::isinf(up(here))) continue;
    const double error = std::fabs(double{up(here)} - value);
    for (int step : {-1, 1}) {
      const auto other = static_cast<uint16_t>(here + step);
      if (((other ^ here) & 0x8000) || !std::isfinite(up(other))) continue;
      const double other_error = std::fabs(double{up(other)} - value);
      RC_ASSERT(error < other_error || (error == other_error && here % 2 == 0));
    }
  }
});

TEST(Converted, ADoubleIsRoundedOnce) {
  // Above the middle of two bf16 by less than a float can hold: rounding twice would go to even.
  const double value = 1 + 0x1p-8 + 0x1p-40;
  const Tensor bf16 =
      converted(make_view(static_cast<const void*>(&value), DType::f64, {1}), DType::bf16);
  EXPECT_EQ(float_from_bf16(*reinterpret_cast<const uint16_t*>(bf16.bytes.data())), 1 + 0x1p-7f);
  const double half = 1 + 0x1p-11 + 0x1p-40;
  const Tensor f16 =
      converted(make_view(static_cast<const void*>(&half), DType::f64, {1}), DType::f16);
  EXPECT_EQ(float_from_f16(*reinterpret_cast<const uint16_t*>(f16.bytes.data())), 1 + 0x1p-10f);
}

TEST(Philox, KnownAnswers) {
  // The published vectors of Random123 (kat_vectors, philox4x32 10).
  EXPECT_EQ(philox4x32(0, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(NormalAt, HasMeanZeroAndVarianceOne) {
  double sum = 0, squares = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = normal_at(1, static_cast<uint64_t>(i));
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
}

TEST(ParallelFor, RunsEachTaskOnceAndThrowsTheFirstError) {
  for (int threads : {0, 1, 3, 1000}) {
    std::mutex mutex;
    std::multiset<int64_t> seen;
    parallel_for({.threads = threads}, 100, [&](int64_t i) {
      const std::lock_guard lock(mutex);
      seen.insert(i);
    });
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(std::set<int64_t>(seen.begin(), seen.end()).size(), 100u);
    std::atomic<int> ran{0};
    EXPECT_ROPEWALK_ERROR(parallel_for({.threads = threads}, 50,
                                       [&](int64_t i) {
                                         ++ran;
                                         if (i % 20 == 7)
                                           throw Error(ErrorCode::io, "task " + std::to_string(i));
                                       }),
                          ErrorCode::io, "task 7");
    EXPECT_EQ(ran, 50);
  }
  EXPECT_NO_THROW(parallel_for({}, 0, [](int64_t) { throw 1; }));
}

TEST(Overlap, InterleavedViewsOfOnePackedTensorAreApart) {
  std::vector<float> memory(1000);
  const auto view = [&](int64_t first, const Dims& shape, const Dims& strides) {
    return ConstTensorView{memory.data() + first, DType::f32, shape, strides};
  };
  const auto q = view(0, {5, 4, 8}, {48, 8, 1}), k = view(32, {5, 2, 8}, {48, 8, 1});
  EXPECT_FALSE(may_overlap(q, k));
  EXPECT_TRUE(may_overlap(q, view(31, {5, 2, 8}, {48, 8, 1})));
  EXPECT_TRUE(may_overlap(q, view(41, {5, 2, 8}, {48, 8, 1})));
  EXPECT_FALSE(
      may_overlap(view(0, {8, 2}, {2, 16}), view(1, {8, 2}, {2, 16})));  // even and odd channels
  EXPECT_FALSE(may_overlap(q, view(240, {1, 1, 8}, {48, 8, 1})));
  EXPECT_TRUE(may_overlap(q, q));
  EXPECT_TRUE(may_alias_itself(view(0, {3, 4}, {3, 1})));
  EXPECT_TRUE(may_alias_itself(view(0, {3, 4}, {0, 1})));
  EXPECT_FALSE(may_alias_itself(view(50, {3, 4}, {-4, 1})));
  EXPECT_FALSE(may_alias_itself(view(0, {1, 4}, {0, 1})));
}

// Against every address, one by one.
ROPEWALK_PROPERTY(Overlap, NeverMissesASharedAddress, [] {
  const auto draw = [](std::set<const float*>& addresses, float* base) {
    const Dims shape = {*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4)};
    const Dims strides = {*rc::gen::inRange(-20, 20), *rc::gen::inRange(-9, 9),
                          *rc::gen::inRange(-3, 3)};
    const ConstTensorView view{base + *rc::gen::inRange(200, 260), DType::f32, shape, strides};
    for (int64_t i = 0; i < shape[0]; ++i)
      for (int64_t j = 0; j < shape[1]; ++j)
        for (int64_t l = 0; l < shape[2]; ++l)
          addresses.insert(static_cast<const float*>(view.data) + i * strides[0] + j * strides[1] +
                           l * strides[2]);
    return view;
  };
  static float memory[512];
  std::set<const float*> a, b;
  const ConstTensorView va = draw(a, memory), vb = draw(b, memory);
  const bool meet =
      std::any_of(a.begin(), a.end(), [&](const float* address) { return b.count(address) > 0; });
  RC_ASSERT(!meet || may_overlap(va, vb));
  RC_ASSERT(static_cast<int64_t>(a.size()) == num_elements(va.shape) || may_alias_itself(va));
});

TEST(Fraction, SeriesAtKnownPoints) {
  EXPECT_EQ(rounded_to_float(0, sin_series(fraction_from_double(0.5)), 1), 0.479425538604203f);
  EXPECT_EQ(rounded_to_float(0, one_minus_cos_series(fraction_from_double(0.5)), 1),
            0.12241743810962728f);
  EXPECT_EQ(rounded_to_float(0, sin_series(kQuarterPi), 1), 0.70710678118654752f);
  // sin^2 + cos^2 = 1 to within a few of the last of 320 bits.
  const Fraction x = fraction_from_double(0.7853), s = sin_series(x), gap = one_minus_cos_series(x);
  const Fraction c = Fraction{} - gap;
  Fraction few;
  few.limb[4] = 1 << 12;
  const Fraction off = s * s + c * c + few;  // modulo 1
  EXPECT_EQ(off.limb[0] | off.limb[1] | off.limb[2] | off.limb[3], 0u);
  EXPECT_LT(off.limb[4], 1u << 13);
}

TEST(Fraction, RoundsSubnormalsAndTies) {
  EXPECT_EQ(rounded_to_float(1, {}, 0x1p-149), 0x1p-149f);
  EXPECT_EQ(rounded_to_float(1, {}, 0x1p-150), 0.f);          // a tie, to even
  EXPECT_EQ(rounded_to_float(1, {}, 0x1.8p-149), 0x1p-148f);  // a tie, to even
  EXPECT_EQ(rounded_to_float(1, {}, 0x1.000001p0), 1.f);      // a tie, to even
  EXPECT_EQ(rounded_to_float(1, {}, 0x1.000003p0), 0x1.000004p0f);
  EXPECT_EQ(rounded_to_float(1, {}, 0x1.0000010000001p0), 0x1.000002p0f);
  EXPECT_EQ(rounded_to_float(0, fraction_from_double(0x1.fffffffp-1), 1), 1.f);
}

TEST(TensorView, ChecksNameTheArgument) {
  EXPECT_ROPEWALK_ERROR(check_view({nullptr, DType::f32, {2}, {1}}, "q"),
                        ErrorCode::invalid_argument, "q: null data pointer");
  EXPECT_ROPEWALK_ERROR(check_view({nullptr, DType::f32, {2}, {}}, "q"),
                        ErrorCode::invalid_argument, "q: 1 dimensions but 0 strides");
  EXPECT_NO_THROW(check_view({nullptr, DType::f32, {0, 5}, {5, 1}}, "q"));
  EXPECT_EQ(num_elements({0, int64_t{1} << 62, int64_t{1} << 62}), 0);
}

}  // namespace
}  // namespace ropewalk
