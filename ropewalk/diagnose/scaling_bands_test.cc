#include "ropewalk/diagnose/scaling_bands.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/models/models.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

RopeConfig published(const std::string& name) {
  const ModelEncoding model = read_model(std::string(ROPEWALK_TESTDATA "/models/") + name);
  return rope_at(model, 0);
}

// The first pair of each band, of bands that follow one another.
struct Bounds {
  size_t between, slowed, pairs;
  bool operator==(const Bounds&) const = default;
};

Bounds bounds_of(const ScalingBands& bands) {
  Bounds bounds{0, 0, bands.bands.size()};
  for (const Band band : bands.bands) {
    bounds.between += band == Band::kept;
    bounds.slowed += band != Band::slowed;
  }
  for (size_t i = 1; i < bands.bands.size(); ++i) EXPECT_LE(bands.bands[i - 1], bands.bands[i]);
  return bounds;
}

// Llama 3.1: wavelengths up to 8192 / 4 are kept, those above 8192 / 1 slowed by 8.
TEST(ScalingBands, Llama3) {
  const RopeConfig rope = published("llama-3.1-8b");
  const ScalingBands bands = scaling_bands(rope, 0, 131072);
  Bounds expected{0, 0, 64};
  for (int i = 0; i < 64; ++i) {
    const double length = 2 * std::numbers::pi * std::pow(500000, i / 64.0);
    expected.between += length < 2048;
    expected.slowed += length <= 8192;
  }
  EXPECT_EQ(bounds_of(bands), expected);
  EXPECT_EQ(bands.attention_scaling, 1);
  EXPECT_EQ(bands.softmax_factor, 1);
  // Slowed by 8: 2 pi 8 500000^(i / 64) > 131072 from i = 39 on.
  ASSERT_FALSE(bands.slow_pairs.empty());
  EXPECT_EQ(bands.slow_pairs.front(), 39U);
  EXPECT_EQ(bands.slow_pairs.size(), 25U);
}

TEST(ScalingBands, Yarn) {
  const RopeConfig rope = published("qwen2.5-7b-yarn");
  const ScalingBands bands = scaling_bands(rope, 0, 32768);
  EXPECT_EQ(bounds_of(bands), (Bounds{24, 40, 64}));
  EXPECT_NEAR(bands.attention_scaling, 0.1 * std::log(4) + 1, 1e-6);
  EXPECT_EQ(bands.slow_pairs.front(), 36U);
  EXPECT_EQ(bands.slow_pairs.back(), 63U);
  EXPECT_TRUE(scaling_bands(rope, 0, 0).slow_pairs.empty()) << "the context is not known";
}

TEST(ScalingBands, SoftmaxOfDeepSeek) {
  EXPECT_NEAR(scaling_bands(published("deepseek-v3"), 0, 0).softmax_factor, 1.873850, 1e-5);
}

TEST(ScalingBands, NoScaling) {
  const RopeConfig rope = published("llama-3-8b");
  const ScalingBands bands = scaling_bands(rope, 0, 8192);
  EXPECT_TRUE(bands.bands.empty());
  EXPECT_EQ(bands.slow_pairs.front(), 35U);
  EXPECT_EQ(without_scaling(rope), rope);
  EXPECT_TRUE(wavelengths(rope, 0).plain.empty());
}

TEST(ScalingBands, Wavelengths) {
  EXPECT_NEAR(wavelength(0.01), 628.3185, 1e-4);
  EXPECT_NEAR(wavelength(-0.01), 628.3185, 1e-4) << "it turns backwards";
  EXPECT_EQ(wavelength(0), std::numeric_limits<double>::infinity());
  const Wavelengths yarn = wavelengths(published("qwen2.5-7b-yarn"), 0);
  ASSERT_EQ(yarn.scaled.size(), 64U);
  ASSERT_EQ(yarn.plain.size(), 64U);
  EXPECT_NEAR(yarn.scaled[63] / yarn.plain[63], 4, 1e-5);
  EXPECT_EQ(yarn.scaled[0], yarn.plain[0]);
}

// longrope has two lists; yarn has one, whatever the length; a model without scaling has no choice.
TEST(SpectraByLength, TheLengthMattersToSomeScalings) {
  const RopeConfig longrope{
      .rope_type = "longrope",
      .rotary_dim = 8,
      .parameters = {{"original_max_position_embeddings", 4096},
                     {"max_position_embeddings", 131072}},
      .lists = {{"short_factor", {1, 1, 1, 1}}, {"long_factor", {1, 2, 4, 8}}},
      .layout = {8, {{0, 8, Pairing::half_split}}}};
  const SpectraByLength both = spectra_by_length(longrope, 0, 131072);
  ASSERT_TRUE(both.in_context);
  EXPECT_EQ(both.in_context->inv_freq, make_spectrum(longrope, 131072).inv_freq);
  EXPECT_NE(both.in_context->inv_freq, both.spectrum.inv_freq);
  EXPECT_EQ(both.holds_until, 4096);
  const SpectraByLength given = spectra_by_length(longrope, 131072, 131072);
  EXPECT_FALSE(given.in_context);
  EXPECT_FALSE(given.ignores_length);
  EXPECT_EQ(given.spectrum.inv_freq, both.in_context->inv_freq);
  const SpectraByLength llama3 = spectra_by_length(published("llama-3.1-8b"), 16384, 131072);
  EXPECT_TRUE(llama3.ignores_length);
  EXPECT_EQ(llama3.context, 131072);
  EXPECT_TRUE(spectra_by_length(published("llama-3-8b"), 16384, 8192).ignores_length);
  EXPECT_FALSE(spectra_by_length(published("llama-3-8b"), 0, 8192).ignores_length);
  EXPECT_EQ(spectra_by_length(published("llama-3-8b"), 16384, 8192).context, 16384);
}

// Dynamic holds until its trained length, though the context is no longer than that.
TEST(SpectraByLength, HowLongTheFrequenciesHold) {
  const RopeConfig dynamic{.rope_type = "dynamic",
                           .rotary_dim = 8,
                           .parameters = {{"factor", 2}, {"max_position_embeddings", 2048}},
                           .layout = {8, {{0, 8, Pairing::half_split}}}};
  const SpectraByLength found = spectra_by_length(dynamic, 0, 2048);
  EXPECT_EQ(found.holds_until, 2048);
  EXPECT_FALSE(found.in_context);
  EXPECT_FALSE(spectra_by_length(dynamic, 100, 2048).ignores_length);
  EXPECT_EQ(spectra_by_length(dynamic, 100, 2048).context, 100);
  EXPECT_FALSE(spectra_by_length(published("llama-3.1-8b"), 0, 131072).holds_until);
}

TEST(StretchedContext, IsFactorTimesTheOriginal) {
  EXPECT_EQ(stretched_context(published("qwen2.5-7b-yarn"), 32768), 131072);
  RopeConfig linear = published("llama-3-8b");
  linear.rope_type = "linear";
  linear.parameters = {{"factor", 2.5}};
  EXPECT_EQ(stretched_context(linear, 8192), 20480);
  EXPECT_FALSE(stretched_context(linear, 0));
  EXPECT_FALSE(stretched_context(published("llama-3.1-8b"), 131072)) << "16 times, factor 8";
  EXPECT_FALSE(stretched_context(published("llama-3-8b"), 8192));
}

}  // namespace
}  // namespace ropewalk
