// From one spectrum to another: beside MPFR, and beside the rows that each makes alone.
#include "ropewalk/tables/rope_rows_between.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/base/random.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/oracle.h"

namespace ropewalk {
namespace {

constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

// Of any size and sign.
int64_t random_position(uint64_t seed, uint64_t i) {
  const auto words = philox4x32(seed, i);
  return static_cast<int64_t>(uint64_t{words[0]} << 32 | words[1]) >> (1 + i % 60);
}

Spectrum spectrum_of(double theta, int64_t dim) {
  return make_spectrum(
      {.rope_theta = theta, .rotary_dim = dim, .layout = {dim, {{0, dim, Pairing::half_split}}}});
}

PositionIds ids(const std::vector<int64_t>& positions, const Dims& shape) {
  const void* const data = positions.data();
  return positions_of(make_view(data, DType::i64, shape));
}

// cos and sin of p w_to - b w_from in 640 bits.
testing::CosSin exactly(double from, int64_t b, double to, int64_t p, double scale) {
  testing::Number angle, other;
  mpfr_set_sj(angle.value, p, MPFR_RNDN);
  mpfr_mul_d(angle.value, angle.value, to, MPFR_RNDN);
  mpfr_set_sj(other.value, b, MPFR_RNDN);
  mpfr_mul_d(other.value, other.value, from, MPFR_RNDN);
  mpfr_sub(angle.value, angle.value, other.value, MPFR_RNDN);
  return testing::cos_sin_of(angle, scale);
}

void expect_bits(float ours, float expected, int64_t b, int64_t p, size_t pair) {
  EXPECT_EQ(std::bit_cast<uint32_t>(ours), std::bit_cast<uint32_t>(expected))
      << ours << " instead of " << expected << " from " << b << " to " << p << ", pair " << pair;
}

TEST(RopeRowsBetween, EachNumberIsCorrectlyRounded) {
  Spectrum from = spectrum_of(1e4, 32);
  Spectrum to = spectrum_of(5e5, 32);
  to.attention_scaling = 1.25;
  std::vector<int64_t> base = {0, 1, 4096, 4097, 131071, 1 << 30, 0, -7, kLast, -kLast, kLast - 9};
  std::vector<int64_t> position = {0, 1, 4096, 4000, 0, (1 << 30) + 5, 3, 9, kLast, kLast, -kLast};
  for (uint64_t i = 0; i < 80; ++i) {
    base.push_back(random_position(1, i));
    position.push_back(random_position(2, i));
  }
  const auto tokens = static_cast<int64_t>(base.size());
  const RopeRows rows = make_rope_rows_between({from, ids(base, {1, tokens})},
                                               {to, ids(position, {tokens})}, 1, tokens);
  ASSERT_EQ(rows.rows.size(), base.size() * 32);
  for (size_t t = 0; t < base.size(); ++t) {
    for (size_t i = 0; i < 16; ++i) {
      const auto expected = exactly(from.inv_freq[i], base[t], to.inv_freq[i], position[t], 1.25);
      expect_bits(rows.rows[t * 32 + i], expected.cos, base[t], position[t], i);
      expect_bits(rows.rows[t * 32 + 16 + i], expected.sin, base[t], position[t], i);
    }
  }
}

TEST(RopeRowsBetween, WorkedNumber) {
  const Spectrum from = spectrum_from_inv_freq({{1.0}}), to = spectrum_from_inv_freq({{0.5}});
  const RopeRows rows =
      make_rope_rows_between({from, positions_from(2)}, {to, positions_from(2)}, 1, 1);
  EXPECT_FLOAT_EQ(rows.rows[0], 0.5403023F);
  EXPECT_FLOAT_EQ(rows.rows[1], -0.841471F);
}

TEST(RopeRowsBetween, OneSpectrumTurnsByTheDifferenceOfThePositions) {
  Spectrum spectrum = spectrum_of(1e4, 8);
  spectrum.axis = {0, 1, 1, 2};
  const std::vector<int64_t> base = {5, 6, 50, 60, 500, 600}, position = {9, 1, 80, 60, 530, 1};
  const std::vector<int64_t> delta = {4, -5, 30, 0, 30, -599};
  const RopeRows rows = make_rope_rows_between({spectrum, ids(base, {3, 1, 2})},
                                               {spectrum, ids(position, {3, 1, 2})}, 1, 2);
  EXPECT_EQ(rows, make_rope_rows(spectrum, ids(delta, {3, 1, 2}), 1, 2));
  spectrum.attention_scaling = 1.19;  // both had it, so none is left
  EXPECT_EQ(
      make_rope_rows_between({spectrum, positions_from(7)}, {spectrum, positions_from(7)}, 1, 3),
      make_rope_rows_between({spectrum, positions_from(0)}, {spectrum, positions_from(0)}, 1, 3));
}

TEST(RopeRowsBetween, FromNoRotationTheyAreTheRowsThemselves) {
  Spectrum to = spectrum_of(1e6, 64);
  to.attention_scaling = 1.19;
  const Spectrum none = spectrum_from_inv_freq(std::vector<double>(32, 0.0));
  EXPECT_EQ(make_rope_rows_between({none, positions_from(3)}, {to, positions_from(65530)}, 1, 200),
            make_rope_rows(to, positions_from(65530), 1, 200));
}

TEST(RopeRowsBetween, WrongInputIsNamed) {
  const Spectrum two = spectrum_from_inv_freq({{1.0, 0.1}}), one = spectrum_from_inv_freq({{1.0}});
  EXPECT_ROPEWALK_ERROR(
      make_rope_rows_between({two, positions_from(0)}, {one, positions_from(0)}, 1, 1),
      ErrorCode::invalid_argument, "expected 2 pairs in both, found 1");
  EXPECT_ROPEWALK_ERROR(
      make_rope_rows_between({one, positions_from(0)}, {one, positions_from(0)}, 1, -1),
      ErrorCode::invalid_argument, "1 sequences of -1 tokens");
  EXPECT_ROPEWALK_ERROR(
      make_rope_rows_between({one, positions_from(0)}, {one, positions_from(0)}, kLast, 2),
      ErrorCode::resource_limit, "2^40 bytes");
}

}  // namespace
}  // namespace ropewalk
