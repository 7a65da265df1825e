#include "ropewalk/tables/angle_mode.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/ggml_rope.h"
#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/table.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/oracle.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using testing::Fixture;

const std::vector<AngleMode> kFloatModes = {AngleMode::hf_float32,     AngleMode::ggml_float32,
                                            AngleMode::bf16_frequency, AngleMode::bf16_position,
                                            AngleMode::fp16,           AngleMode::tf32};

const RopeConfig kPlain = scaled_config("default", 1e4, 128);

RopeConfig llama3_config() {
  return scaled_config("llama3", 5e5, 128,
                       {{"factor", 8},
                        {"low_freq_factor", 1},
                        {"high_freq_factor", 4},
                        {"original_max_position_embeddings", 8192}});
}

RopeConfig yarn_config() {
  return scaled_config("yarn", 1e4, 64,
                       {{"factor", 4}, {"original_max_position_embeddings", 4096}});
}

// The same bits, where 0 and -0 are one and infinities have a sign.
void expect_angles(const RopeConfig& config, AngleMode mode, const Fixture& fixture,
                   const std::string& key) {
  const std::vector<float> found = float_angles(config, mode, fixture.i64("position_ids"));
  const std::span<const float> expected = fixture.f32(key);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], expected[i]) << key << " " << i;
}

TEST(AngleModeReference, AnglesOfTransformersAndTorch) {
  const Fixture fixture("angles");
  expect_angles(kPlain, AngleMode::hf_float32, fixture, "plain_angle");
  expect_angles(llama3_config(), AngleMode::hf_float32, fixture, "llama3_angle");
  expect_angles(yarn_config(), AngleMode::hf_float32, fixture, "yarn_angle");
  expect_angles(kPlain, AngleMode::bf16_frequency, fixture, "bf16_frequency");
  expect_angles(kPlain, AngleMode::bf16_position, fixture, "bf16_position");
  expect_angles(kPlain, AngleMode::fp16, fixture, "fp16");
}

// torch's cos and sin are within an ULP of the angle's, and so is the product with the amplitude.
void expect_near(float found, float expected, float amplitude) {
  EXPECT_NEAR(found, expected, 0x1p-23 * amplitude);
}

void expect_rows(const RopeConfig& config, const Fixture& fixture, const std::string& key) {
  const std::span<const int64_t> positions = fixture.i64("position_ids");
  const std::span<const float> cos = fixture.f32(key + "_cos"), sin = fixture.f32(key + "_sin");
  const auto amplitude = static_cast<float>(make_spectrum(config).attention_scaling);
  for (size_t row = 0; row < positions.size(); ++row) {
    const CosSinTable table = make_table(config, AngleMode::hf_float32, positions[row], 1);
    for (size_t i = 0; i < table.cos.size(); ++i) {
      expect_near(table.cos[i], cos[row * table.cos.size() + i], amplitude);
      expect_near(table.sin[i], sin[row * table.cos.size() + i], amplitude);
    }
  }
}

TEST(AngleModeReference, CosAndSinOfTransformers) {
  const Fixture fixture("angles");
  expect_rows(kPlain, fixture, "plain");
  expect_rows(llama3_config(), fixture, "llama3");
  expect_rows(yarn_config(), fixture, "yarn");
}

void expect_ggml(const RopeConfig& config, const std::string& key) {
  const Fixture fixture("angles");
  const std::span<const float> cos = fixture.f32(key + "_cos"), sin = fixture.f32(key + "_sin");
  const std::span<const int64_t> positions = fixture.i64("ggml_position_ids");
  for (size_t row = 0; row < positions.size(); ++row) {
    const CosSinTable table = make_table(config, AngleMode::ggml_float32, positions[row], 1);
    for (size_t i = 0; i < table.cos.size(); ++i) {
      expect_near(table.cos[i], cos[row * table.cos.size() + i], 1);
      expect_near(table.sin[i], sin[row * table.cos.size() + i], 1);
    }
  }
}

// ggml itself: at position 1000003 another order of operations would be off by 1e-2.
TEST(AngleModeReference, RopeOfGgml) {
  expect_ggml(scaled_config("default", 1e4, 128), "ggml_d128_base10000");
  expect_ggml(scaled_config("default", 5e5, 128), "ggml_d128_base500000");
  expect_ggml(scaled_config("linear", 1e4, 64, {{"factor", 4}}), "ggml_d64_base10000");
  expect_ggml(scaled_config("default", 1e6, 256), "ggml_d256_base1000000");
}

// Two positions that float32 cannot tell apart.
TEST(AngleMode, WorkedNumber) {
  const std::vector<int64_t> positions = {16777216, 16777217};
  const std::vector<float> angles = float_angles(kPlain, AngleMode::hf_float32, positions);
  EXPECT_EQ(angles[0], 16777216);
  EXPECT_EQ(angles[64], 16777216);
}

TEST(AngleMode, NamesGoBothWays) {
  for (AngleMode mode : kFloatModes) EXPECT_EQ(angle_mode_from_name(name(mode)), mode);
  EXPECT_EQ(angle_mode_from_name("ideal"), AngleMode::ideal);
  EXPECT_ROPEWALK_ERROR(angle_mode_from_name("f64"), ErrorCode::invalid_argument,
                        "expected one of the angle modes exact, ideal, hf_float32, ");
}

TEST(AngleMode, ExactIsTheTableOfTheSpectrum) {
  EXPECT_EQ(make_table(yarn_config(), AngleMode::exact, -3, 9),
            make_table(make_spectrum(yarn_config()), -3, 9));
}

TEST(AngleMode, IdealHasNoRoundedFrequency) {
  const RopeConfig hunyuan = scaled_config("dynamic", 1e4, 8, {{"alpha", 16}});
  RopeConfig reversed = scaled_config("default", 1e4, 8);
  reversed.reversed = true;
  for (int64_t i = 0; i < 4; ++i) {
    const auto at = static_cast<size_t>(i);
    const auto expected = testing::ideal_cos_sin(1e4 * std::pow(16.0, 8.0 / 6), 8, i, 1234567);
    const CosSinTable table = make_table(hunyuan, AngleMode::ideal, 1234567, 1);
    EXPECT_EQ(table.cos[at], expected.cos);
    EXPECT_EQ(table.sin[at], expected.sin);
    const auto backwards = testing::ideal_cos_sin(1e4, 8, i, -1234567);
    EXPECT_EQ(make_table(reversed, AngleMode::ideal, 1234567, 1).sin[at], backwards.sin);
  }
  EXPECT_ROPEWALK_ERROR(make_table(yarn_config(), AngleMode::ideal, 0, 1), ErrorCode::unsupported,
                        "no freq_factors, found rope_type yarn");
}

// cos and sin are the nearest float32 of those of the angle, from the first positions to the last.
ROPEWALK_PROPERTY(AngleMode, CosAndSinOfTheAngleAreCorrectlyRounded, [] {
  const AngleMode mode = *rc::gen::elementOf(kFloatModes);
  const int bits = *rc::gen::inRange(1, 63);
  const int64_t position = *rc::gen::arbitrary<int64_t>() >> bits;
  const std::vector<float> angles = float_angles(kPlain, mode, std::vector<int64_t>{position});
  const CosSinTable table = make_table(kPlain, mode, position, 1);
  for (size_t i = 0; i < angles.size(); ++i) {
    if (!std::isfinite(angles[i])) {
      RC_ASSERT(std::isnan(table.cos[i]) && std::isnan(table.sin[i]));
      continue;
    }
    const testing::CosSin expected = testing::cos_sin(angles[i], 1);
    RC_ASSERT(table.cos[i] == expected.cos);
    RC_ASSERT(table.sin[i] == expected.sin);
  }
});

// R(0) is the identity in every mode, and R(-p) undoes R(p).
ROPEWALK_PROPERTY(AngleMode, PositionZeroAndSigns, [] {
  const AngleMode mode = *rc::gen::elementOf(kFloatModes);
  const int64_t p = *rc::gen::inRange<int64_t>(1, 60000);
  const CosSinTable zero = make_table(kPlain, mode, 0, 1);
  RC_ASSERT(std::ranges::count(zero.cos, 1) == 64 && std::ranges::count(zero.sin, 0) == 64);
  const CosSinTable forward = make_table(kPlain, mode, p, 1),
                    back = make_table(kPlain, mode, -p, 1);
  RC_ASSERT(forward.cos == back.cos);
  for (size_t i = 0; i < 64; ++i) RC_ASSERT(forward.sin[i] == -back.sin[i]);
});

// The reversed config in a mode is the mode at minus the position.
TEST(AngleMode, ReversedTurnsTheOtherWay) {
  RopeConfig reversed = yarn_config();
  reversed.reversed = true;
  for (AngleMode mode : kFloatModes) {
    const CosSinTable expected = make_table(yarn_config(), mode, -777, 1);
    const CosSinTable found = make_table(reversed, mode, 777, 1);
    EXPECT_EQ(found.cos, expected.cos) << name(mode);
    EXPECT_EQ(found.sin, expected.sin) << name(mode);
  }
}

double worst_error(AngleMode mode) {
  constexpr int64_t kFirst = (1 << 17) - 512;
  const CosSinTable exact = make_table(ideal_spectrum(1e4, 128, 64), kFirst, 512);
  const CosSinTable table = make_table(kPlain, mode, kFirst, 512);
  double worst = 0;
  for (size_t i = 0; i < table.cos.size(); ++i) {
    worst = std::max<double>(worst, std::fabs(table.cos[i] - exact.cos[i]));
    worst = std::max<double>(worst, std::fabs(table.sin[i] - exact.sin[i]));
  }
  return worst;
}

// Near position 2^17, base 10000: what each way of computing costs.
TEST(AngleMode, ErrorsBeforePosition131072) {
  EXPECT_LE(worst_error(AngleMode::ideal), 0x1p-24);
  EXPECT_LT(worst_error(AngleMode::exact), 6e-3);
  EXPECT_GT(worst_error(AngleMode::hf_float32), 4e-3);
  EXPECT_LT(worst_error(AngleMode::hf_float32), 1e-2);
  EXPECT_GT(worst_error(AngleMode::ggml_float32), 1e-2);
  EXPECT_LT(worst_error(AngleMode::ggml_float32), 3e-2);
  for (AngleMode mode : {AngleMode::bf16_frequency, AngleMode::bf16_position, AngleMode::tf32}) {
    EXPECT_GT(worst_error(mode), 1.5) << name(mode);
  }
}

// tf32 keeps eleven bits: 2049 is halfway between 2048 and 2050 and goes away from zero.
TEST(AngleMode, Tf32RoundsHalvesAwayFromZero) {
  const std::vector<int64_t> positions = {2047, 2048, 2049, 2051, -2049};
  const std::vector<float> angles = float_angles(kPlain, AngleMode::tf32, positions);
  const float expected[] = {2047, 2048, 2050, 2052, -2050};
  for (size_t row = 0; row < 5; ++row) EXPECT_EQ(angles[64 * row], expected[row]);
}

// ggml's own scalings come near the model's: within its recurrence's error, 1e-5 of the angle.
TEST(AngleMode, GgmlScalingsAreTheModels) {
  RopeConfig longrope = scaled_config("longrope", 1e4, 32,
                                      {{"original_max_position_embeddings", 4096}, {"factor", 8}});
  longrope.lists = {{"short_factor", std::vector<double>(16, 1.25)},
                    {"long_factor", std::vector<double>(16, 6)}};
  for (const RopeConfig& config :
       {llama3_config(), yarn_config(), longrope,
        scaled_config("dynamic", 1e4, 64, {{"alpha", 50}}),
        scaled_config("proportional", 1e6, 64, {{"partial_rotary_factor", 0.25}})}) {
    const std::vector<int64_t> one = {1};
    const std::vector<float> hf = float_angles(config, AngleMode::hf_float32, one, 5000);
    const std::vector<float> ggml = float_angles(config, AngleMode::ggml_float32, one, 5000);
    for (size_t i = 0; i < hf.size(); ++i) {
      EXPECT_NEAR(ggml[i], hf[i], 2e-5 * hf[i] + 1e-29) << config.rope_type << " " << i;
    }
  }
}

// gpt-oss does not round the range of its ramp, ggml always does.
TEST(AngleMode, GgmlTruncatesTheRampOfGptOss) {
  const RopeConfig config =
      scaled_config("yarn", 150000, 64,
                    {{"factor", 32}, {"original_max_position_embeddings", 4096}, {"truncate", 0}});
  const GgmlRope rope = ggml_rope(config);
  EXPECT_EQ(rope.corr_low, 8);
  EXPECT_EQ(rope.corr_high, 18);
  const std::vector<int64_t> at = {4096};
  const float hf = float_angles(config, AngleMode::hf_float32, at)[17];
  const float ggml = float_angles(config, AngleMode::ggml_float32, at)[17];
  EXPECT_NEAR(ggml / hf, 1.76, 0.01);
}

TEST(AngleMode, WhatAModeCannotDoIsNamed) {
  const std::vector<int64_t> one = {1};
  EXPECT_ROPEWALK_ERROR(float_angles(kPlain, AngleMode::exact, one), ErrorCode::invalid_argument,
                        "the angles of mode exact have no float32 form");
  EXPECT_ROPEWALK_ERROR(
      float_angles(scaled_config("ntk", 1e4, 64, {{"factor", 2}}), AngleMode::ggml_float32, one),
      ErrorCode::unsupported, "rope_type \"ntk\": llama.cpp has no such scaling");
  RopeConfig shared = kPlain;
  shared.position_axes = 3;
  shared.mrope_section = {16, 24, 24};
  EXPECT_ROPEWALK_ERROR(float_angles(shared, AngleMode::hf_float32, one), ErrorCode::unsupported,
                        "angle mode hf_float32: expected 1 position axis, found 3");
  EXPECT_ROPEWALK_ERROR(make_table(kPlain, AngleMode::tf32, 0, -1), ErrorCode::invalid_argument,
                        "-1 rows from position 0");
  EXPECT_ROPEWALK_ERROR(make_table(kPlain, AngleMode::tf32, 0, int64_t{1} << 40),
                        ErrorCode::resource_limit, "would take more than 2^40 bytes");
}

}  // namespace
}  // namespace ropewalk
