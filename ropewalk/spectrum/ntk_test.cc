// The scalings that change the base: ntk, dynamic, qwen_dynamic, xdrope; and linear.
#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/ntk_base.h"
#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

RopeConfig dynamic(double factor, double trained, int64_t dim = 128, double theta = 1e4) {
  return scaled_config("dynamic", theta, dim,
                       {{"factor", factor}, {"max_position_embeddings", trained}});
}

std::vector<double> unscaled(const RopeConfig& config) {
  return make_spectrum(scaled_config("default", config.rope_theta, config.rotary_dim)).inv_freq;
}

TEST(Ntk, BaseOfHunYuan) {
  EXPECT_NEAR(ntk_base(scaled_config("dynamic", 1e4, 128), 1000), 11158839.9251, 5e-5);
}

TEST(Ntk, WorkedNumbers) {
  const auto expect = [](RopeConfig config, std::vector<double> expected, int64_t seq_len = 0) {
    const std::vector<double> found = make_spectrum(config, seq_len).inv_freq;
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i] / expected[i], 1, 1e-6) << config.rope_type << " " << i;
    }
  };
  expect(scaled_config("ntk", 1e4, 4, {{"factor", 4}}), {0.5, 0.0025});
  expect(scaled_config("linear", 1e4, 4, {{"factor", 8}}), {0.125, 0.00125});
  expect(scaled_config("xdrope", 1e4, 4, {{"alpha", 4}}), {1, 0.0025});
  expect(scaled_config("qwen_dynamic", 1e4, 4, {{"seq_length", 8192}}), {1, 0.01 / 7}, 20000);
  const double base = 1e4 * std::pow(3, 128.0 / 126);
  EXPECT_NEAR(base, 30527.7, 0.05);
  EXPECT_NEAR(make_spectrum(dynamic(2, 2048), 4096).inv_freq[1], std::pow(base, -1.0 / 64), 1e-7);
}

// A key turned at length 2049 and a query at 4096 do not meet at their distance
// (huggingface/transformers#25104).
TEST(Dynamic, N01_OldKeysMustBeTurnedAnew) {
  const std::vector<double> then = make_spectrum(dynamic(2, 2048), 2049).inv_freq;
  const std::vector<double> now = make_spectrum(dynamic(2, 2048), 4096).inv_freq;
  EXPECT_NEAR(now[30] * 4095 - now[30] * 2000, 16.557, 5e-4);
  EXPECT_NEAR(now[30] * 4095 - then[30] * 2000, 5.705, 5e-4);
  EXPECT_NEAR(now[63] * 4095 - now[63] * 2000, 0.0806, 5e-5);
  EXPECT_NEAR(now[63] * 4095 - then[63] * 2000, -0.0731, 5e-5);
}

// huggingface/transformers#25306: a long prompt changed the answers to short ones after it.
TEST(Dynamic, N03_NothingIsRemembered) {
  const Spectrum first = make_spectrum(dynamic(2, 2048), 100);
  make_spectrum(dynamic(2, 2048), 5000);
  EXPECT_EQ(make_spectrum(dynamic(2, 2048), 100), first);
}

// vllm-project/vllm#52665: 2 * 512 / 2048 - 1 is negative, and no power of it is real.
TEST(Dynamic, N04_AShorterSequenceKeepsTheBase) {
  const RopeConfig config = dynamic(2, 2048, 64, 1000);
  EXPECT_EQ(make_spectrum(config, 512).inv_freq, unscaled(config));
}

// lablup/mlxcel#1324: every token was turned at twice its position.
TEST(Dynamic, N06_TheFactorDoesNotScalePositions) {
  const RopeConfig config = dynamic(6, 32768);
  EXPECT_EQ(make_spectrum(config, 32768).inv_freq[0], 1);
  EXPECT_EQ(make_spectrum(config, 32768).inv_freq, unscaled(config));
}

// One spectrum for each row of a batch: the longest prompt must not set that of all
// (QwenLM/Qwen#401).
TEST(QwenDynamic, N07_EachLengthHasItsOwn) {
  const RopeConfig config = scaled_config("qwen_dynamic", 1e4, 128, {{"seq_length", 2048}});
  EXPECT_EQ(make_spectrum(config, 500).inv_freq, unscaled(config));
  EXPECT_NE(make_spectrum(config, 4000).inv_freq, unscaled(config));
}

// Powers of two of the trained length are the last of their step.
TEST(QwenDynamic, StepsAtPowersOfTwo) {
  const RopeConfig config = scaled_config("qwen_dynamic", 1e4, 128, {{"seq_length", 2048}});
  const auto base = [&](int64_t length) { return make_spectrum(config, length).inv_freq.back(); };
  EXPECT_EQ(base(2048), base(0));
  EXPECT_EQ(base(2049), base(4096));
  EXPECT_EQ(base(4097), base(8192));
  EXPECT_NEAR(base(0) / base(4096), 3, 1e-5);
  EXPECT_NEAR(base(0) / base(8192), 7, 1e-5);
}

TEST(Ntk, AHeadOfOnePairHasNoBase) {
  EXPECT_ROPEWALK_ERROR(make_spectrum(dynamic(2, 2048, 2), 4096), ErrorCode::invalid_argument,
                        "rope_type \"dynamic\": rotary_dim: expected at least 4, found 2");
  EXPECT_ROPEWALK_ERROR(make_spectrum(scaled_config("xdrope", 1e38, 4, {{"alpha", 1e9}})),
                        ErrorCode::invalid_argument,
                        "expected a positive number that float32 holds");
}

// The fastest pair is unchanged, the slowest divided by alpha; alpha 1 changes nothing.
ROPEWALK_PROPERTY(Ntk, AlphaDividesTheSlowestPair, [] {
  const double alpha = *rc::gen::element(1.0, 2.0, 50.0, 1000.0);
  const int64_t dim = 2 * *rc::gen::inRange<int64_t>(2, 129);
  for (const char* type : {"dynamic", "xdrope"}) {
    const RopeConfig config =
        scaled_config(type, *rc::gen::element(1e4, 1e6), dim, {{"alpha", alpha}});
    const std::vector<double> found = make_spectrum(config).inv_freq;
    RC_ASSERT(found[0] == 1);
    RC_ASSERT(std::fabs(unscaled(config).back() / found.back() / alpha - 1) < 2e-6);
    if (alpha == 1) RC_ASSERT(found == unscaled(config));
  }
});

// Both forms of GTE divide the slowest pair by factor.
ROPEWALK_PROPERTY(Ntk, FactorDividesTheSlowestPair, [] {
  const double factor = *rc::gen::element(1.0, 2.0, 16.0);
  RopeConfig config = scaled_config("ntk", 1.6e5, 64, {{"factor", factor}});
  if (*rc::gen::arbitrary<bool>()) {
    config.parameters["mixed_b"] = *rc::gen::element(0.3, 0.625, 1.0);
  }
  const std::vector<double> found = make_spectrum(config).inv_freq;
  RC_ASSERT(std::fabs(unscaled(config).back() / found.back() / factor - 1) < 3e-6);
  if (factor == 1) RC_ASSERT(found == unscaled(config));
});

// Nothing changes up to the trained length; then the base grows with the length.
ROPEWALK_PROPERTY(Dynamic, SlowsDownWithTheLength, [] {
  const RopeConfig config = dynamic(*rc::gen::element(1.0, 2.0, 7.3), 2048);
  RC_ASSERT(make_spectrum(config, *rc::gen::inRange(0, 2049)).inv_freq == unscaled(config));
  double last = unscaled(config).back();
  for (int64_t length : {2100, 4096, 10000, 1000000}) {
    const double slowest = make_spectrum(config, length).inv_freq.back();
    RC_ASSERT(slowest < last && slowest > 0);
    last = slowest;
  }
});

ROPEWALK_PROPERTY(Linear, DividesEveryFrequency, [] {
  const auto factor = static_cast<float>(*rc::gen::element(1.0, 2.0, 8.0, 3.3));
  const RopeConfig config = scaled_config("linear", 1e6, 256, {{"factor", factor}});
  const std::vector<double> found = make_spectrum(config).inv_freq;
  for (size_t i = 0; i < found.size(); ++i) {
    RC_ASSERT(found[i] == static_cast<float>(unscaled(config)[i]) / factor);
  }
});

}  // namespace
}  // namespace ropewalk
