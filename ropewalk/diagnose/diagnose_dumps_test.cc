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
