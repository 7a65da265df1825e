#include "ropewalk/kernels/rows/rows.h"

#include <bit>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/oracle.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/targets.h"

namespace ropewalk {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max(),
                  kMin = std::numeric_limits<int64_t>::min();
const std::vector<int64_t> kPositions = {0,
                                         1,
                                         2,
                                         255,
                                         256,
                                         257,
                                         2047,
                                         2048,
                                         2049,
                                         65535,
                                         16777215,
                                         16777216,
                                         16777217,
                                         int64_t{1} << 31,
                                         (int64_t{1} << 32) - 1,
                                         int64_t{1} << 32,
                                         (int64_t{1} << 53) + 1,
                                         int64_t{1} << 62,
                                         kMax,
                                         -1,
                                         -3,
                                         -2048,
                                         -16777217,
                                         -(int64_t{1} << 31),
                                         kMin};

struct Row {
  std::vector<float> cos, sin;
  bool operator==(const Row&) const = default;
};

Row row_of(const Spectrum& spectrum, const std::vector<int64_t>& positions, double scale = 1,
           bool negate = false) {
  // One more float at the end of each, to see that nothing is written there.
  Row row{std::vector<float>(spectrum.inv_freq.size() + 1, 7),
          std::vector<float>(spectrum.inv_freq.size() + 1, 7)};
  cos_sin_row(row_source(spectrum, scale, negate), positions.data(), row.cos.data(),
              row.sin.data());
  EXPECT_EQ(row.cos.back(), 7);
  EXPECT_EQ(row.sin.back(), 7);
  row.cos.pop_back();
  row.sin.pop_back();
  return row;
}

// Bit for bit, but for the sign of zero: a row never holds -0.
void expect_row(const Row& row, const Spectrum& spectrum, int64_t position, double scale = 1) {
  for (size_t i = 0; i < spectrum.inv_freq.size(); ++i) {
    const testing::CosSin want = testing::cos_sin(spectrum.inv_freq[i], position, scale);
    EXPECT_EQ(row.cos[i], want.cos)
        << "position " << position << " inv_freq " << spectrum.inv_freq[i];
    EXPECT_EQ(row.sin[i], want.sin)
        << "position " << position << " inv_freq " << spectrum.inv_freq[i];
    EXPECT_FALSE(row.sin[i] == 0 && std::signbit(row.sin[i]));
  }
}

Spectrum model_spectrum(double theta, int64_t dim) {
  return make_spectrum(
      {.rope_theta = theta, .rotary_dim = dim, .layout = {dim, {{0, dim, Pairing::half_split}}}});
}

TEST(CosSinRow, IsCorrectlyRoundedAtEveryPositionOnEveryTarget) {
  testing::for_each_target([](const std::string&) {
    for (double theta : {1e4, 5e5, 1e6, 1e7}) {
      const Spectrum spectrum = model_spectrum(theta, 128);
      for (int64_t position : kPositions) {
        expect_row(row_of(spectrum, {position}), spectrum, position);
      }
    }
  });
}

TEST(CosSinRow, OddNumbersOfPairsLeaveTheirNeighboursAlone) {
  testing::for_each_target([](const std::string&) {
    for (int64_t dim : {2, 4, 6, 10, 14, 18, 22, 26, 30, 34}) {
      const Spectrum spectrum = model_spectrum(1e4, dim);
      for (int64_t position : {5, 100000}) {
        expect_row(row_of(spectrum, {position}), spectrum, position);
      }
    }
  });
}

TEST(CosSinRow, TinyAndHugeFrequencies) {
  const std::vector<double> frequencies = {0,
                                           1e-30,
                                           -1e-30,
                                           0x1p-62,
                                           0x1p-75,
                                           0x1p-90,
                                           0x1p-100,
                                           1e9,
                                           -0.3,
                                           0x1p32,
                                           3.141592653589793,
                                           1.5707963267948966,
                                           6.283185307179586,
                                           100.25};
  const Spectrum spectrum = spectrum_from_inv_freq(frequencies);
  testing::for_each_target([&](const std::string&) {
    for (int64_t position : kPositions) {
      expect_row(row_of(spectrum, {position}), spectrum, position);
    }
  });
}

// sin x = x - x^3/6 lies just below the midpoint x of two floats: no number of digits of the
// phase tells them apart, but the result must still be the lower one.
TEST(CosSinRow, TinyAnglesThatAreMidpointsRoundTowardZero) {
  const Spectrum spectrum =
      spectrum_from_inv_freq(std::vector<double>{0x1p-40, 0x1p-60, 0x1p-80, 0x1.8p-75});
  for (int64_t position : {(int64_t{1} << 24) + 1, (int64_t{1} << 25) + 3, (int64_t{3} << 24) + 3,
                           (int64_t{1} << 26) + 2}) {
    expect_row(row_of(spectrum, {position}), spectrum, position);
    expect_row(row_of(spectrum, {-position}), spectrum, -position);
  }
}

TEST(CosSinRow, ScaleMultipliesBeforeTheRounding) {
  const Spectrum spectrum = model_spectrum(1e4, 64);
  for (double scale :
       {1.1, 0.7071067811865476, 1.3465735902799727, 1 + 0x1p-24, 1 + 0x3p-24, 0x1p-32}) {
    for (int64_t position : {0, 1, 77, -4096}) {
      expect_row(row_of(spectrum, {position}, scale), spectrum, position, scale);
    }
  }
}

TEST(CosSinRow, EachPairFollowsItsAxis) {
  Spectrum spectrum = model_spectrum(1e4, 64);
  for (size_t i = 0; i < spectrum.axis.size(); ++i) spectrum.axis[i] = static_cast<int32_t>(i % 3);
  const std::vector<int64_t> positions = {7, -100000, int64_t{1} << 40};
  testing::for_each_target([&](const std::string&) {
    const Row row = row_of(spectrum, positions);
    for (size_t i = 0; i < spectrum.axis.size(); ++i) {
      const auto want = testing::cos_sin(spectrum.inv_freq[i], positions[i % 3]);
      EXPECT_EQ(row.cos[i], want.cos);
      EXPECT_EQ(row.sin[i], want.sin);
    }
  });
}

TEST(CosSinRow, PositionZeroIsTheIdentityBitForBit) {
  const Spectrum spectrum = model_spectrum(1e4, 128);
  for (bool negate : {false, true}) {
    const Row row = row_of(spectrum, {0}, 1, negate);
    for (float c : row.cos) EXPECT_EQ(std::bit_cast<uint32_t>(c), 0x3F800000u);
    for (float s : row.sin) EXPECT_EQ(std::bit_cast<uint32_t>(s), 0u);
  }
}

// Long enough for the addition theorem, whose doubts go back to the polynomial.
TEST(CosSinRows, ConsecutiveRowsEqualSingleRows) {
  constexpr int64_t kRows = 100, kStride = 20;
  testing::for_each_target([](const std::string&) {
    for (double theta : {1e4, 1e30}) {
      const Spectrum spectrum = model_spectrum(theta, 36);
      for (auto [scale, negate] : {std::pair{1.0, false}, {1.3, true}}) {
        for (int64_t first : {int64_t{-50}, int64_t{1000}, (int64_t{1} << 32) - 40,
                              (int64_t{1} << 31) - 40, kMax - kRows + 1, kMin}) {
          std::vector<float> cos(kRows * kStride, 7), sin(kRows * kStride, 7);
          cos_sin_rows(row_source(spectrum, scale, negate), first, kRows, kStride, cos.data(),
                       sin.data());
          for (int64_t r = 0; r < kRows; ++r) {
            const Row want = row_of(spectrum, {first + r}, scale, negate);
            EXPECT_TRUE(std::equal(want.cos.begin(), want.cos.end(), cos.begin() + r * kStride))
                << first << " + " << r;
            EXPECT_TRUE(std::equal(want.sin.begin(), want.sin.end(), sin.begin() + r * kStride))
                << first << " + " << r;
            EXPECT_EQ(cos[static_cast<size_t>(r * kStride + 18)], 7);
          }
        }
      }
    }
  });
}

int64_t draw_position() {
  const int bits = *rc::gen::inRange(0, 63);
  const auto p = static_cast<int64_t>(*rc::gen::arbitrary<uint64_t>() >> (63 - bits) >> 1);
  return *rc::gen::arbitrary<bool>() ? p : -p;
}

ROPEWALK_PROPERTY(CosSinRow, AgreesWithMpfrAtRandom, [] {
  const double base = std::exp(*rc::gen::inRange(0, 1000000) * 27.6e-6) + 1e-4;
  const int64_t dim = 2 * *rc::gen::inRange(1, 40);
  const Spectrum spectrum = model_spectrum(base, dim);
  const int64_t position = draw_position();
  const Row row = row_of(spectrum, {position});
  for (size_t i = 0; i < spectrum.inv_freq.size(); ++i) {
    const auto want = testing::cos_sin(spectrum.inv_freq[i], position);
    RC_ASSERT(row.cos[i] == want.cos);
    RC_ASSERT(row.sin[i] == want.sin);
  }
});

ROPEWALK_PROPERTY(CosSinRow, ParityIsExact, [] {
  const Spectrum spectrum = model_spectrum(1e4, 128);
  const int64_t position = draw_position();
  const Row plus = row_of(spectrum, {position}), minus = row_of(spectrum, {-position});
  RC_ASSERT(plus.cos == minus.cos);
  for (size_t i = 0; i < plus.sin.size(); ++i) RC_ASSERT(plus.sin[i] == -minus.sin[i]);
  RC_ASSERT(minus == row_of(spectrum, {position}, 1, true));
});

ROPEWALK_PROPERTY(CosSinRow, LiesOnTheCircle, [] {
  const Spectrum spectrum = model_spectrum(5e5, 128);
  const Row row = row_of(spectrum, {draw_position()});
  for (size_t i = 0; i < row.cos.size(); ++i) {
    RC_ASSERT(std::fabs(row.cos[i]) <= 1 && std::fabs(row.sin[i]) <= 1);
    const double norm = double{row.cos[i]} * row.cos[i] + double{row.sin[i]} * row.sin[i];
    RC_ASSERT(std::fabs(norm - 1) <= 0x1p-23);
  }
});

TEST(CosSinExactly, AgreesWithTheFastWay) {
  const Spectrum spectrum = model_spectrum(1e4, 128);
  const RowSource source = row_source(spectrum, 1, false);
  for (int64_t position : kPositions) {
    const Row row = row_of(spectrum, {position});
    for (int64_t i = 0; i < source.pairs; ++i) {
      float c, s;
      cos_sin_exactly(source, i, position, &c, &s);
      EXPECT_EQ(c, row.cos[static_cast<size_t>(i)]);
      EXPECT_EQ(s, row.sin[static_cast<size_t>(i)]);
    }
  }
}

TEST(IdealSpectrum, IsExactToTheLastPosition) {
  for (auto [base, dim] : {std::pair{1e4, 512},
                           {1e4, 5},
                           {1e4, 510},
                           {10000.5, 64},
                           {1e12, 128},
                           {1.0, 8},
                           {1.0001, 7},
                           {1 + 0x1p-52, 512},
                           {1 + 1e-13, 4096}}) {
    const Spectrum spectrum = ideal_spectrum(base, dim, (dim + 1) / 2);
    for (int64_t position : {int64_t{1}, int64_t{5000}, int64_t{1} << 40, kMax, kMin}) {
      const Row row = row_of(spectrum, {position});
      for (size_t i = 0; i<row.cos.size(); i += dim> 100 ? 17 : 1) {
        const auto want = testing::ideal_cos_sin(base, dim, static_cast<int64_t>(i), position);
        EXPECT_EQ(row.cos[i], want.cos) << base << " " << dim << " " << i << " " << position;
        EXPECT_EQ(row.sin[i], want.sin) << base << " " << dim << " " << i << " " << position;
      }
    }
  }
}

}  // namespace
}  // namespace ropewalk
