// Sinusoidal tables beside PyTorch's tutorial, Marian, M2M100, MusicGen, and the exact values.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/tables/sinusoidal.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::Fixture;

struct Case {
  std::string name;
  SinusoidalConfig config;
  int64_t rows = 0;
};

const std::vector<Case>& float32_cases() {
  static const std::vector<Case> cases = {
      {"article_3x512", {.d_model = 512}, 3},
      {"article_100x16", {.d_model = 16}, 100},
      {"fairseq_100x32",
       {.d_model = 32, .layout = SinusoidalLayout::fairseq, .padding_position = 1},
       100},
      {"musicgen_100x32", {.d_model = 32, .layout = SinusoidalLayout::cos_sin}, 100},
  };
  return cases;
}

std::vector<float> first_rows(const SinusoidalConfig& config, int64_t rows) {
  std::vector<int64_t> positions(static_cast<size_t>(rows));
  std::iota(positions.begin(), positions.end(), 0);
  return sinusoidal(config, positions);
}

// The frequency of one channel of a table.
double frequency(const SinusoidalConfig& config, int64_t channel) {
  const int64_t half = config.d_model / 2;
  if (config.layout == SinusoidalLayout::interleaved) {
    return std::pow(config.base, -2.0 * static_cast<double>(channel / 2) / config.d_model);
  }
  return std::pow(config.base, -static_cast<double>(channel % half) / (half - 1));
}

void expect_same_bits(const SinusoidalConfig& config, int64_t rows, std::span<const float> expected,
                      const std::string& name) {
  const std::vector<float> ours = first_rows(config, rows);
  ASSERT_EQ(ours.size(), expected.size()) << name;
  for (size_t i = 0; i < ours.size(); ++i) {
    ASSERT_EQ(ours[i], expected[i])
        << name << " row " << i / config.d_model << " channel " << i % config.d_model;
  }
}

TEST(SinusoidalReference, ExactValuesAreReproducedBitForBit) {
  const Fixture fixture("sinusoidal");
  std::vector<Case> cases = float32_cases();
  cases.push_back({"marian_100x32", {.d_model = 32, .layout = SinusoidalLayout::sin_cos}, 100});
  cases.push_back({"marian_20x7", {.d_model = 7, .layout = SinusoidalLayout::sin_cos}, 20});
  for (const int64_t d_model : {1, 5, 33}) {
    cases.push_back({"odd_12x" + std::to_string(d_model), {.d_model = d_model}, 12});
  }
  for (const Case& c : cases) {
    expect_same_bits(c.config, c.rows, fixture.f32(c.name + "_exact"), c.name);
  }
}

TEST(SinusoidalReference, Float32TablesAreWithinTheirOwnError) {
  const Fixture fixture("sinusoidal");
  for (const Case& c : float32_cases()) {
    const std::vector<float> ours = first_rows(c.config, c.rows);
    const std::span<const float> reference = fixture.f32(c.name);
    ASSERT_EQ(ours.size(), reference.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      const auto row = static_cast<int64_t>(i) / c.config.d_model;
      const double f = frequency(c.config, static_cast<int64_t>(i) % c.config.d_model);
      ASSERT_NEAR(ours[i], reference[i],
                  testing::sinusoidal_float32(static_cast<double>(row) * f, f))
          << c.name << " element " << i;
    }
  }
}

// Marian computes in float64 and rounds once: at most the last bit may differ.
TEST(SinusoidalReference, MarianIsWithinOneUlp) {
  const Fixture fixture("sinusoidal");
  for (const Case& c :
       {Case{"marian_100x32", {.d_model = 32, .layout = SinusoidalLayout::sin_cos}, 100},
        Case{"marian_20x7", {.d_model = 7, .layout = SinusoidalLayout::sin_cos}, 20}}) {
    const std::vector<float> ours = first_rows(c.config, c.rows);
    const std::span<const float> reference = fixture.f32(c.name);
    ASSERT_EQ(ours.size(), reference.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(std::nextafter(ours[i], reference[i]), reference[i]) << c.name << " element " << i;
    }
  }
}

// M2M100's first token has position padding_idx + 1: with offset 2 the rows start at row 2.
TEST(SinusoidalReference, FairseqOffset) {
  const Fixture fixture("sinusoidal");
  const SinusoidalConfig config{
      .d_model = 32, .layout = SinusoidalLayout::fairseq, .offset = 2, .padding_position = 1};
  expect_same_bits(config, 98, fixture.f32("fairseq_100x32_exact").subspan(2 * 32), "offset 2");
}

}  // namespace
}  // namespace ropewalk
