#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/diagnose/diagnose_dumps.h"
#include "ropewalk/diagnose/diagnose_sinusoidal.h"

namespace ropewalk {
namespace {

using Verdict = DumpDiagnosis::Verdict;

constexpr int kTokens = 6, kHeads = 2, kDim = 16, kPairs = kDim / 2;

// What is done with a pair (a, b) of a token at position p, written out without ropewalk.
using Pairwise = std::function<std::pair<double, double>(double a, double b, int pair, int64_t p)>;

double angle(int pair, int64_t p) {
  return static_cast<double>(p) * std::pow(10000.0, -2.0 * pair / kDim);
}

std::string found(const Pairwise& does, int64_t first = 3, int batch = 1) {
  std::mt19937 bits(11);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<size_t>(batch * kTokens * kHeads * kDim)), y(x.size());
  for (float& value : x) value = normal(bits);
  for (size_t row = 0; row < x.size() / kDim; ++row) {
    const int64_t p = first + static_cast<int64_t>(row) / kHeads % kTokens;
    for (int i = 0; i < kPairs; ++i) {
      const size_t a = row * kDim + static_cast<size_t>(i), b = a + kPairs;
      const auto [c, d] =
          does(x[a], x[b], i, p + (static_cast<int64_t>(row) / kHeads / kTokens) * 1000000);
      y[a] = static_cast<float>(c), y[b] = static_cast<float>(d);
    }
  }
  RopeConfig rope;
  rope.rotary_dim = kDim;
  rope.layout = {kDim, {{0, kDim, Pairing::half_split}}};
  const auto view = [&](const std::vector<float>& values) {
    return make_view(values.data(), DType::f32, {batch, kTokens, kHeads, kDim});
  };
  const DumpDiagnosis diagnosis =
      diagnose_dump({view(x), view(y), TensorLayout::bshd, positions_from(first)}, {.rope = rope});
  if (diagnosis.verdict == Verdict::consistent) return "consistent";
  if (diagnosis.findings.empty()) return "unexplained";
  std::string text;
  for (const Cause& cause : diagnosis.findings[0].causes) {
    text += (text.empty() ? "" : ", ") + std::string(cause.hypothesis) + "/" +
            std::string(cause.variant);
    if (!cause.name.empty()) text += " " + cause.name;
  }
  return text;
}

using Pair = std::pair<double, double>;

TEST(OtherForms, RotateHalf) {
  const auto with = [](auto form) {
    return found([form](double a, double b, int i, int64_t p) -> Pair {
      return form(a, b, std::cos(angle(i, p)), std::sin(angle(i, p)));
    });
  };
  const auto right = [](double a, double b, double c, double s) {
    return Pair{a * c - b * s, b * c + a * s};
  };
  EXPECT_EQ(with(right), "consistent");
  EXPECT_EQ(with([](double a, double b, double c, double s) {
              return Pair{a * c + b * s, b * c + a * s};
            }),
            "rotate_half/no_minus");
  EXPECT_EQ(with([](double a, double b, double c, double s) {
              return Pair{a * c - b * s, b * c - a * s};
            }),
            "rotate_half/both_minus");
  EXPECT_EQ(with([](double a, double b, double c, double s) {
              return Pair{a * (c + s), b * (c + s)};
            }),
            "rotate_half/not_exchanged");
  EXPECT_EQ(with([](double a, double b, double c, double s) {
              const double first = a * c - b * s;
              return Pair{first, b * c + first * s};
            }),
            "rotate_half/in_place");
}

// repeat_interleave(2) in the place of cat(freqs, freqs): channel c has the angle of pair c / 2.
TEST(OtherForms, ColumnsOfTheOtherForm) {
  EXPECT_EQ(found([](double a, double b, int i, int64_t p) -> Pair {
              const double first = angle(i / 2, p), second = angle((i + kPairs) / 2, p);
              return {a * std::cos(first) - b * std::sin(first),
                      b * std::cos(second) + a * std::sin(second)};
            }),
            "rotate_half/interleaved_rows");
}

TEST(OtherForms, SinOfAnotherTable) {
  EXPECT_EQ(found([](double a, double b, int i, int64_t p) -> Pair {
              const double c = std::cos(angle(i, p)), s = std::sin(angle(i, p + 1));
              return {a * c - b * s, b * c + a * s};
            }),
            "mixed_tables/sin_shifted");
}

TEST(OtherForms, FarShifts) {
  const auto shifted = [](int64_t by) -> Pairwise {
    return [by](double a, double b, int i, int64_t p) -> Pair {
      const double c = std::cos(angle(i, p + by)), s = std::sin(angle(i, p + by));
      return {a * c - b * s, b * c + a * s};
    };
  };
  EXPECT_EQ(found(shifted(98765)), "positions/offset");
  EXPECT_EQ(found(shifted(-7654321)), "positions/offset");
  // The second sequence of the batch by a million, which is not its own position.
  EXPECT_EQ(found(shifted(0), 3, 2), "positions/row_offset 0, 1000000");
}

std::string of_vectors(const std::function<double(int channel, int64_t p)>& number,
                       const SinusoidalConfig& config) {
  std::vector<float> x;
  std::vector<int64_t> positions;
  for (int64_t p = 0; p < 12; ++p) {
    positions.push_back(p);
    for (int c = 0; c < 16; ++c) x.push_back(static_cast<float>(number(c, p)));
  }
  const auto diagnosis =
      diagnose_sinusoidal(make_view(x.data(), DType::f32, {12, 16}), positions, config);
  if (diagnosis.verdict == Verdict::consistent) return "consistent";
  std::string text = diagnosis.causes.empty() ? "unexplained" : "";
  for (const Cause& cause : diagnosis.causes)
    text += (text.empty() ? "" : ", ") + std::string(cause.variant);
  return text;
}

TEST(DiagnoseSinusoidal, NamesEachPart) {
  const SinusoidalConfig paper{.d_model = 16};
  const auto form = [](double base, int spaces, int64_t offset, double sign, double scale) {
    return [=](int c, int64_t p) {
      const double by =
          static_cast<double>(p + offset) * std::pow(base, -static_cast<double>(c / 2) / spaces);
      return scale * (c % 2 == 0 ? sign * std::sin(by) : std::cos(by));
    };
  };
  EXPECT_EQ(of_vectors(form(10000, 8, 0, 1, 1), paper), "consistent");
  EXPECT_EQ(of_vectors(form(10000, 7, 0, 1, 1), paper), "half_minus_one");
  EXPECT_EQ(of_vectors(form(500, 8, 0, 1, 1), paper), "base");
  EXPECT_EQ(of_vectors(form(10000, 8, 2, 1, 1), paper), "offset");
  EXPECT_EQ(of_vectors(form(10000, 8, 4321, 1, 1), paper), "offset");
  EXPECT_EQ(of_vectors(form(10000, 8, 0, -1, 1), paper), "sign");
  EXPECT_EQ(of_vectors(form(10000, 8, 0, 1, 4), paper), "scale");
  EXPECT_EQ(of_vectors(form(10000, 7, 1, 1, 1), paper), "half_minus_one, offset");
  EXPECT_EQ(of_vectors([](int c, int64_t p) { return c + static_cast<double>(p); }, paper),
            "unexplained");
  const auto halves = [](int c, int64_t p) {
    const double by = static_cast<double>(p) * std::pow(10000, -(c % 8) / 8.0);
    return c < 8 ? std::sin(by) : std::cos(by);
  };
  EXPECT_EQ(of_vectors(halves, paper), "order");
  EXPECT_EQ(of_vectors(halves, {.d_model = 16, .layout = SinusoidalLayout::sin_cos}), "consistent");
}

}  // namespace
}  // namespace ropewalk
