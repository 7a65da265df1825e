#include "ropewalk/diagnose/diagnose_dumps.h"

#include <cmath>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/dumps/made_dumps.h"
#include "ropewalk/diagnose/find_encoding.h"

namespace ropewalk {
namespace {

using Verdict = DumpDiagnosis::Verdict;

ExpectedRotation rotation_of(int64_t head_dim, double base) {
  RopeConfig rope;
  rope.rope_theta = base;
  rope.rotary_dim = head_dim;
  rope.layout = {head_dim, {{0, head_dim, Pairing::half_split}}};
  return {.rope = rope};
}

DumpDiagnosis diagnose_one(const std::vector<float>& x, const std::vector<float>& y,
                           int64_t position) {
  const auto row = [](const std::vector<float>& values) {
    return make_view(values.data(), DType::f32, {1, 1, std::ssize(values)});
  };
  return diagnose_dump({row(x), row(y), TensorLayout::bshd, positions_from(position)},
                       rotation_of(std::ssize(x), 10000));
}

// Worked by hand: d = 4, base 10000, x = 1, 2, 3, 4.
TEST(DiagnoseDump, ARightOneIsConsistent) {
  EXPECT_EQ(
      diagnose_one({1, 2, 3, 4}, {-1.9841106f, 1.9599006f, 2.4623778f, 4.0197997f}, 1).verdict,
      Verdict::consistent);
}

TEST(DiagnoseDump, NeighboursForHalves) {
  const std::vector<float> y = {
      1 * std::cos(1.f) - 2 * std::sin(1.f), 2 * std::cos(1.f) + 1 * std::sin(1.f),
      3 * std::cos(.01f) - 4 * std::sin(.01f), 4 * std::cos(.01f) + 3 * std::sin(.01f)};
  EXPECT_NEAR(y[0], -1.14264, 1e-5);  // NeuraLegion/shainet PR 111
  const DumpDiagnosis found = diagnose_one({1, 2, 3, 4}, y, 1);
  ASSERT_EQ(found.verdict, Verdict::fault);
  ASSERT_THAT(found.findings.front().causes, testing::SizeIs(1));
  EXPECT_EQ(found.findings.front().causes[0].hypothesis, "pairing");
  EXPECT_EQ(found.findings.front().causes[0].variant, "interleaved");
  EXPECT_EQ(found.first_wrong->positions, std::vector<int64_t>{1});
}

// At position 0 every rotation is the same: nothing can be told, and nothing is said.
TEST(DiagnoseDump, PositionZeroTellsNothing) {
  const DumpDiagnosis found = diagnose_one({1, 2, 3, 4}, {1, 2, 3, 4}, 0);
  EXPECT_EQ(found.verdict, Verdict::consistent);
  EXPECT_EQ(found.largest_angle, 0);
}

TEST(DiagnoseDump, WhatNoRotationMakesIsUnexplained) {
  EXPECT_EQ(diagnose_one({1, 2, 3, 4}, {7, -1, 0.5, 9}, 5).verdict, Verdict::unexplained);
}

TEST(DiagnoseDump, RefusesWhatIsNoDump) {
  EXPECT_THROW(diagnose_one({1, 2, 3, 4}, {1, 2, 3, NAN}, 1), Error);
  EXPECT_THROW(diagnose_one({1, 2, 3, 4}, {1, 2}, 1), Error);
}

// Zeros stay zeros under every rotation.
TEST(DiagnoseDump, SomethingOutOfZerosIsNoRotation) {
  const DumpDiagnosis found = diagnose_one({0, 0, 0, 0}, {7, -1, 0.5, 9}, 5);
  EXPECT_EQ(found.verdict, Verdict::unexplained);
  EXPECT_EQ(found.wrong_tokens, 1);
  EXPECT_TRUE(found.first_wrong->from_zero);
  EXPECT_EQ(found.residual, 0x1p8);  // all of it, in ULP of bf16, which holds these numbers
  // One pair, (1, 3), of a row that is right but for it.
  const DumpDiagnosis one = diagnose_one({1, 0, 3, 0}, {-1.9841106f, 2, 2.4623778f, 4}, 1);
  EXPECT_EQ(one.verdict, Verdict::unexplained);
  EXPECT_EQ(one.first_wrong->pair, 1);
}

TEST(DiagnoseDump, NothingButZerosIsRefused) {
  EXPECT_THROW(diagnose_one({0, 0, 0, 0}, {0, 0, 0, 0}, 1), Error);
}

TEST(DiagnoseDump, SaysWhereANumberIsNotFinite) {
  try {
    diagnose_one({1, 2, 3, 4}, {1, 2, NAN, 4}, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("nan in token 0, head 0, channel 2"));
  }
}

// q or k [1, positions, 1, 64] of ones and what a rotation of another config makes of it.
struct Rotated {
  std::vector<float> x, y;

  Rotated(const std::vector<double>& inv_freq, double amplitude,
          const std::vector<int64_t>& positions) {
    const size_t pairs = inv_freq.size();
    x.assign(positions.size() * 2 * pairs, 1.0f);
    y = x;
    for (size_t s = 0; s < positions.size(); ++s) {
      for (size_t i = 0; i < pairs; ++i) {
        const double angle = static_cast<double>(positions[s]) * inv_freq[i];
        float* row = y.data() + s * 2 * pairs;
        row[i] = static_cast<float>(amplitude * (std::cos(angle) - std::sin(angle)));
        row[i + pairs] = static_cast<float>(amplitude * (std::cos(angle) + std::sin(angle)));
      }
    }
  }

  RotationDump dump(int64_t tokens) const {
    const Dims shape = {1, tokens, 1, std::ssize(x) / tokens};
    return {make_view(x.data(), DType::f32, shape), make_view(y.data(), DType::f32, shape),
            TensorLayout::bshd, positions_from(0)};
  }
};

std::vector<double> powers_of(double base, int pairs) {
  std::vector<double> inv_freq;
  for (int i = 0; i < pairs; ++i) inv_freq.push_back(std::pow(base, -1.0 * i / pairs));
  return inv_freq;
}

// min(p, 16): the rows of a table of 17.
TEST(DiagnoseDump, ATableThatEndsAnywhere) {
  std::vector<int64_t> positions;
  for (int64_t p = 0; p < 40; ++p) positions.push_back(std::min<int64_t>(p, 16));
  const DumpDiagnosis found =
      diagnose_dump(Rotated(powers_of(10000, 32), 1, positions).dump(40), rotation_of(64, 10000));
  ASSERT_EQ(found.verdict, Verdict::fault);
  EXPECT_EQ(found.findings[0].causes[0].variant, "clamped");
  EXPECT_EQ(number_of(found.findings[0].causes[0], "number"), 17);
}

TEST(DiagnoseDump, TheFirstWrongHasTheAngleButNotTheLength) {
  const DumpDiagnosis found =
      diagnose_dump(Rotated(powers_of(10000, 32), 1.25, {0, 1, 2}).dump(3), rotation_of(64, 10000));
  ASSERT_EQ(found.verdict, Verdict::fault);
  EXPECT_EQ(found.first_wrong->expected_amplitude, 1);
  EXPECT_NEAR(found.first_wrong->found_amplitude, 1.25, 1e-6);
}

// Position 1 of base 10000: (a, b) to (a sin - b cos, b sin + a cos).
TEST(DiagnoseDump, CosAndSinExchanged) {
  Rotated rotated(powers_of(10000, 32), 1, {0, 1, 2, 3, 4, 5});
  for (size_t s = 0; s < 6; ++s) {
    for (size_t i = 0; i < 32; ++i) {
      const double angle = static_cast<double>(s) * std::pow(10000, -static_cast<double>(i) / 32);
      rotated.y[s * 64 + i] = static_cast<float>(std::sin(angle) - std::cos(angle));
      rotated.y[s * 64 + 32 + i] = static_cast<float>(std::sin(angle) + std::cos(angle));
    }
  }
  const DumpDiagnosis found = diagnose_dump(rotated.dump(6), rotation_of(64, 10000));
  ASSERT_EQ(found.verdict, Verdict::fault);
  EXPECT_EQ(found.findings[0].causes[0].hypothesis, "exchange");
  EXPECT_THAT(found.findings[0].causes, testing::SizeIs(1));
}

// linear, factor 4, in bf16: at position 0 nothing shows; pair 0 at position 1 would.
TEST(DiagnoseDump, SaysWhereAScalingWouldShow) {
  ExpectedRotation expected = rotation_of(64, 10000);
  expected.rope.rope_type = "linear";
  expected.rope.parameters = {{"factor", 4}};
  const Rotated none(powers_of(10000, 32), 1, {0});
  EXPECT_EQ(diagnose_dump(none.dump(1), expected).scaling_shows_at, 1);
  EXPECT_EQ(diagnose_dump(none.dump(1), rotation_of(64, 10000)).scaling_shows_at, std::nullopt);
}

TEST(FindEncoding, NothingTurnedTellsNothing) {
  const Rotated none(powers_of(10000, 32), 1, {0, 0});
  const FoundEncodings found = find_encoding(none.dump(2));
  EXPECT_TRUE(found.nothing_turned);
  EXPECT_TRUE(found.found.empty());
  const Rotated some(powers_of(10000, 32), 1, {0, 1});
  EXPECT_FALSE(find_encoding(some.dump(2)).nothing_turned);
}

// cos and sin of positions 0 .. 39 and head_dim 8, as another program keeps them: base 500.
std::vector<float> table_of(double (*function)(double), double base) {
  std::vector<float> rows;
  for (int p = 0; p < 40; ++p) {
    for (int twice = 0; twice < 2; ++twice) {
      for (int i = 0; i < 4; ++i)
        rows.push_back(static_cast<float>(function(p * std::pow(base, -i / 4.0))));
    }
  }
  return rows;
}

TEST(DumpOfTable, FindsTheBaseOfDoubledRows) {
  const std::vector<float> cos = table_of(std::cos, 500), sin = table_of(std::sin, 500);
  const Dims shape = {40, 8};
  const MadeDump made =
      dump_of_table(make_view(cos.data(), DType::f32, shape),
                    make_view(sin.data(), DType::f32, shape), rotation_of(8, 10000));
  EXPECT_EQ(made.form, RowForm::doubled);
  const DumpDiagnosis found =
      diagnose_dump({made.before.view(), made.after.view(), TensorLayout::bshd, positions_from(0),
                     DType::f32, true},
                    made.expected);
  ASSERT_EQ(found.verdict, Verdict::fault);
  EXPECT_EQ(found.findings.front().causes[0].hypothesis, "base");
  EXPECT_NEAR(number_of(found.findings.front().causes[0], "found"), 500, 1e-3);
  EXPECT_EQ(found.dtype, DType::f32);
}

TEST(DumpOfTable, RefusesRowsThatRepeatInNoWay) {
  std::vector<float> cos = table_of(std::cos, 500), sin = table_of(std::sin, 500);
  cos[100] += 1;
  const Dims shape = {40, 8};
  EXPECT_THROW(dump_of_table(make_view(cos.data(), DType::f32, shape),
                             make_view(sin.data(), DType::f32, shape), rotation_of(8, 10000)),
               Error);
}

TEST(PositionChange, EachKind) {
  using Kind = PositionChange::Kind;
  const PositionTable table{.axes = 1, .batch = 2, .length = 3, .ids = {5, 6, 7, 300, 301, 4097}};
  const auto ids = [&](Kind kind, int64_t number) {
    return changed(table, {kind, number, {}}).ids;
  };
  EXPECT_THAT(ids(Kind::offset, -1), testing::ElementsAre(4, 5, 6, 299, 300, 4096));
  EXPECT_THAT(ids(Kind::index, 0), testing::ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(ids(Kind::restart, 1), testing::ElementsAre(5, 0, 1, 300, 0, 1));
  EXPECT_THAT(ids(Kind::zero_based, 0), testing::ElementsAre(0, 1, 2, 0, 1, 3797));
  EXPECT_THAT(ids(Kind::first_row, 0), testing::ElementsAre(5, 6, 7, 5, 6, 7));
  EXPECT_THAT(ids(Kind::reversed, 0), testing::ElementsAre(7, 6, 5, 4097, 301, 300));
  EXPECT_THAT(ids(Kind::clamped, 301), testing::ElementsAre(5, 6, 7, 300, 300, 300));
  EXPECT_THAT(ids(Kind::wrapped, 4), testing::ElementsAre(1, 2, 3, 0, 1, 1));
  EXPECT_THAT(ids(Kind::bf16, 0), testing::ElementsAre(5, 6, 7, 300, 300, 4096));
  EXPECT_THAT(ids(Kind::f16, 0), testing::ElementsAre(5, 6, 7, 300, 301, 4096));
}

}  // namespace
}  // namespace ropewalk
