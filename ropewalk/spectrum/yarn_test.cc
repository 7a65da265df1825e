#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

RopeConfig deepseek(double mscale) {
  RopeConfig config = scaled_config("deepseek_yarn", 10000, 64,
                                    {{"factor", 40},
                                     {"beta_fast", 32},
                                     {"beta_slow", 1},
                                     {"original_max_position_embeddings", 4096},
                                     {"mscale", mscale},
                                     {"mscale_all_dim", mscale}});
  config.layout = {192, {{128, 64, Pairing::interleaved}}};
  return config;
}

RopeConfig gpt_oss() {
  return scaled_config("yarn", 150000, 64,
                       {{"factor", 32},
                        {"beta_fast", 32},
                        {"beta_slow", 1},
                        {"original_max_position_embeddings", 4096},
                        {"truncate", 0}});
}

std::vector<double> unscaled(const RopeConfig& config) {
  return make_spectrum(scaled_config("default", config.rope_theta, config.rotary_dim)).inv_freq;
}

// Pairs up to 10 are kept, pairs from 23 are interpolated.
TEST(Yarn, RangeOfDeepSeekV3) {
  const std::vector<double> scaled = make_spectrum(deepseek(1)).inv_freq;
  const std::vector<double> plain = unscaled(deepseek(1));
  for (size_t i = 0; i <= 10; ++i) EXPECT_EQ(scaled[i], plain[i]) << i;
  for (size_t i = 11; i < 23; ++i) {
    EXPECT_LT(scaled[i], plain[i]) << i;
    EXPECT_GT(scaled[i], 1.001 * plain[i] / 40) << i;
  }
  for (size_t i = 23; i < 32; ++i) EXPECT_NEAR(scaled[i] / plain[i], 1.0 / 40, 1e-8) << i;
}

// Two corrections: the ratio of the mscales on cos and sin, mscale_all_dim squared on the scores
// (onnxruntime/mobius#548 had the first only).
TEST(Yarn, Y01_SoftmaxScaleIsKeptApart) {
  EXPECT_EQ(make_spectrum(deepseek(0.707)).attention_scaling, 1);
  EXPECT_NEAR(softmax_factor(deepseek(0.707)), 1.589626, 5e-7);
  EXPECT_NEAR(softmax_factor(deepseek(0.707)) / std::sqrt(192), 0.114721, 5e-7);
  EXPECT_EQ(make_spectrum(deepseek(1)).attention_scaling, 1);
  EXPECT_NEAR(softmax_factor(deepseek(1)) / std::sqrt(192), 0.135234, 5e-7);
  EXPECT_EQ(softmax_factor(deepseek(0)), 1) << "no mscale_all_dim";
}

// turboderp-org/exllamav3#259: an amplitude of 1 is right only beside the softmax scale.
TEST(Yarn, Y03_EqualMscalesLeaveCosAndSinAlone) {
  RopeConfig config = deepseek(1);
  config.parameters["factor"] = 64;
  EXPECT_EQ(make_spectrum(config).attention_scaling, 1);
  EXPECT_NEAR(softmax_factor(config), 2.00474, 5e-6);
}

// attention_factor is the amplitude itself, attn_factor a multiple of the derived one
// (sgl-project/sglang#33558 took one for the other).
TEST(Yarn, Y04_AttentionFactorIsFinal) {
  RopeConfig config = gpt_oss();
  config.parameters["factor"] = 128;
  EXPECT_NEAR(make_spectrum(config).attention_scaling, 1.485203, 5e-7);
  config.parameters["attention_factor"] = 1.4852;
  EXPECT_EQ(make_spectrum(config).attention_scaling, 1.4852);
  config.parameters["attn_factor"] = 2;
  EXPECT_EQ(make_spectrum(config).attention_scaling, 1.4852);
  config.parameters.erase("attention_factor");
  EXPECT_NEAR(make_spectrum(config).attention_scaling, 2 * 1.485203, 1e-6);
}

// huggingface/transformers#38224: the ratio of the lengths took the place of the factor.
TEST(Yarn, Y06_AFactorThatIsGivenWins) {
  RopeConfig config = scaled_config("yarn", 1e6, 128,
                                    {{"factor", 4},
                                     {"max_position_embeddings", 40960},
                                     {"original_max_position_embeddings", 32768}});
  EXPECT_NEAR(make_spectrum(config).inv_freq.back() / unscaled(config).back(), 0.25, 1e-7);
  config.parameters.erase("factor");
  EXPECT_NEAR(make_spectrum(config).inv_freq.back() / unscaled(config).back(), 0.8, 1e-7);
}

// pytorch/torchtitan#3787: beta_slow and beta_fast exchanged, and no truncate.
TEST(Yarn, Y07_GptOssDoesNotTruncate) {
  RopeConfig config = gpt_oss();
  const std::vector<double> exact = make_spectrum(config).inv_freq;
  EXPECT_NEAR(exact[9], 3.170570e-02, 1e-8);
  EXPECT_NEAR(exact[12], 6.794959e-03, 1e-9);
  EXPECT_NEAR(exact[17], 1.293187e-04, 1e-10);
  EXPECT_NEAR(make_spectrum(config).attention_scaling, 1.3466, 5e-5);
  config.parameters["truncate"] = 1;
  const std::vector<double> truncated = make_spectrum(config).inv_freq;
  EXPECT_NEAR(truncated[9], 3.162075e-02, 1e-8);
  EXPECT_NEAR(truncated[12], 7.015714e-03, 1e-9);
  EXPECT_NEAR(truncated[17], 2.279478e-04, 1e-10);
  std::swap(config.parameters["beta_fast"], config.parameters["beta_slow"]);
  EXPECT_ROPEWALK_ERROR(make_spectrum(config), ErrorCode::invalid_argument,
                        "rope_type \"yarn\": beta_fast: expected at least beta_slow 32, found 1");
}

// youssofal/MTPLX#394: mscale 1 is not the amplitude 1, but 0.1 ln(factor) + 1.
TEST(Yarn, Y09_MscaleIsACoefficient) {
  RopeConfig config = gpt_oss();
  config.parameters["factor"] = 128;
  config.parameters["mscale"] = 1;
  EXPECT_NEAR(make_spectrum(config).attention_scaling, 1.485203, 5e-7);
}

// DeepSeek-V4 wants none: its reader states attention_factor 1, the frequencies stay those of YaRN.
TEST(Yarn, Y10_AnAmplitudeOfOneCanBeStated) {
  RopeConfig config = scaled_config("yarn", 160000, 64,
                                    {{"factor", 16}, {"original_max_position_embeddings", 65536}});
  EXPECT_NEAR(make_spectrum(config).attention_scaling, 1.2772589, 5e-8);
  const std::vector<double> inv_freq = make_spectrum(config).inv_freq;
  config.parameters["attention_factor"] = 1;
  EXPECT_EQ(make_spectrum(config).attention_scaling, 1);
  EXPECT_EQ(make_spectrum(config).inv_freq, inv_freq);
}

TEST(Yarn, ABetaOfZeroIsTheDefault) {
  RopeConfig config = gpt_oss();
  const Spectrum expected = make_spectrum(config);
  config.parameters["beta_fast"] = config.parameters["beta_slow"] = 0;
  EXPECT_EQ(make_spectrum(config), expected);
}

TEST(Yarn, Telechat3HasAFlatterAmplitude) {
  RopeConfig config = gpt_oss();
  config.rope_type = "telechat3-yarn";
  config.parameters["factor"] = 40;
  EXPECT_NEAR(make_spectrum(config).attention_scaling, 1.258222, 5e-7);
}

TEST(Yarn, ABaseOfOneHasNoRange) {
  RopeConfig config = gpt_oss();
  config.rope_theta = 1;
  EXPECT_ROPEWALK_ERROR(make_spectrum(config), ErrorCode::invalid_argument,
                        "rope_theta: expected more than 1, found 1");
}

RopeConfig arbitrary_yarn(const char* type, double factor) {
  return scaled_config(
      type, *rc::gen::element(1e4, 1.5e5, 1e6), 2 * *rc::gen::inRange<int64_t>(4, 129),
      {{"factor", factor},
       {"truncate", *rc::gen::element(0.0, 1.0)},
       {"original_max_position_embeddings", *rc::gen::element(1024.0, 4096.0, 32768.0)}});
}

// Three roundings of 2^-24 in the mixture, relative to it.
constexpr double kMixture = 4 * 0x1p-24;

ROPEWALK_PROPERTY(Yarn, FactorOneIsDefault, [] {
  const RopeConfig config = arbitrary_yarn("yarn", 1);
  const Spectrum spectrum = make_spectrum(config);
  RC_ASSERT(spectrum.attention_scaling == 1);
  const std::vector<double> plain = unscaled(config);
  for (size_t i = 0; i < plain.size(); ++i) {
    RC_ASSERT(std::fabs(spectrum.inv_freq[i] / plain[i] - 1) <= kMixture);
  }
});

// Each frequency lies between the interpolated and the unscaled one, and the slower the pair the
// nearer to the interpolated.
ROPEWALK_PROPERTY(Yarn, GoesFromDefaultToInterpolated, [] {
  const double factor = *rc::gen::element(1.5, 4.0, 40.0);
  const RopeConfig config = arbitrary_yarn("yarn", factor);
  const std::vector<double> scaled = make_spectrum(config).inv_freq;
  const std::vector<double> plain = unscaled(config);
  double last = 1;
  for (size_t i = 0; i < plain.size(); ++i) {
    const double ratio = scaled[i] / plain[i];
    RC_ASSERT(ratio <= 1 + kMixture && ratio >= 1 / factor - kMixture);
    RC_ASSERT(ratio <= last + kMixture);
    last = ratio;
  }
});

ROPEWALK_PROPERTY(Yarn, AmplitudeGrowsWithTheFactor, [] {
  double last = 1;
  for (double factor : {0.5, 1.0, 2.0, 8.0, 64.0}) {
    const double amplitude = make_spectrum(arbitrary_yarn("yarn", factor)).attention_scaling;
    RC_ASSERT(amplitude == (factor <= 1 ? 1 : 0.1 * std::log(factor) + 1));
    RC_ASSERT(amplitude >= last);
    last = amplitude;
  }
});

}  // namespace
}  // namespace ropewalk
