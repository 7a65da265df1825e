#include "ropewalk/spectrum/spectrum.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

RopeConfig config_of(double theta, int64_t dim) {
  return {.rope_theta = theta, .rotary_dim = dim, .layout = {dim, {{0, dim, Pairing::half_split}}}};
}

TEST(MakeSpectrum, WorkedNumber) {
  EXPECT_EQ(make_spectrum(config_of(10000, 4)).inv_freq, (std::vector<double>{1, 0.01f}));
}

ROPEWALK_PROPERTY(MakeSpectrum, FallsFromOneAsAGeometricProgression, [] {
  const double theta = *rc::gen::element(1.5, 100.0, 1e4, 5e5, 1e7);
  const int64_t dim = 2 * *rc::gen::inRange(1, 129);
  const Spectrum spectrum = make_spectrum(config_of(theta, dim));
  RC_ASSERT(static_cast<int64_t>(spectrum.inv_freq.size()) == dim / 2);
  RC_ASSERT(spectrum.inv_freq[0] == 1);
  for (size_t i = 1; i < spectrum.inv_freq.size(); ++i) {
    RC_ASSERT(spectrum.inv_freq[i] < spectrum.inv_freq[i - 1]);
    const double exact = std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
    // 9 ULP is the most that the reference's own order of float32 operations loses.
    RC_ASSERT(std::fabs(spectrum.inv_freq[i] / exact - 1) <= 9 * 0x1p-23);
  }
});

TEST(MakeSpectrum, BaseOneTurnsAllPairsAlike) {
  for (double f : make_spectrum(config_of(1, 8)).inv_freq) EXPECT_EQ(f, 1);
}

TEST(MakeSpectrum, AxesRepeatTheFrequencies) {
  const RopeConfig chatglm{
      .rotary_dim = 64,
      .position_axes = 2,
      .inv_freq_dtype = DType::f16,
      .layout = {128, {{0, 64, Pairing::half_split}, {64, 64, Pairing::half_split}}}};
  const Spectrum spectrum = make_spectrum(chatglm);
  ASSERT_EQ(spectrum.inv_freq.size(), 64u);
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(spectrum.inv_freq[i], spectrum.inv_freq[i + 32]);
    EXPECT_EQ(spectrum.axis[i], 0);
    EXPECT_EQ(spectrum.axis[i + 32], 1);
  }
  EXPECT_EQ(spectrum.inv_freq[1], 0.75);  // 10000^(-1/32) = 0.74989... in float16
}

TEST(MakeSpectrum, Float64HasNoScaling) {
  RopeConfig config = config_of(1e4, 8);
  config.inv_freq_dtype = DType::f64;
  EXPECT_EQ(make_spectrum(config).inv_freq[1], 0.1);
  config.rope_type = "linear";
  config.parameters["factor"] = 2;
  EXPECT_ROPEWALK_ERROR(make_spectrum(config), ErrorCode::unsupported,
                        "inv_freq_dtype f64: expected rope_type default");
  config.inv_freq_dtype = DType::i64;
  EXPECT_ROPEWALK_ERROR(make_spectrum(config), ErrorCode::unsupported,
                        "inv_freq_dtype: expected f64, f32, bf16 or f16, found i64");
}

TEST(MakeSpectrum, WrongConfigsAreNamed) {
  RopeConfig scaled = config_of(1e4, 8);
  scaled.rope_type = "yam";
  EXPECT_ROPEWALK_ERROR(make_spectrum(scaled), ErrorCode::unsupported,
                        "rope_type: expected one of default, linear, ");
  for (double theta : {0.0, -1.0, std::nan(""), double{INFINITY}, 1e39}) {
    EXPECT_ROPEWALK_ERROR(make_spectrum(config_of(theta, 8)), ErrorCode::invalid_argument,
                          "rope_theta");
  }
  for (int64_t dim : {0, 1, 7, -2}) {
    RopeConfig config = config_of(1e4, 8);
    config.rotary_dim = dim;
    EXPECT_ROPEWALK_ERROR(make_spectrum(config), ErrorCode::invalid_argument,
                          "rotary_dim: expected an even number in 2..65536, found ");
  }
  RopeConfig mismatch = config_of(1e4, 8);
  mismatch.rotary_dim = 4;
  EXPECT_ROPEWALK_ERROR(make_spectrum(mismatch), ErrorCode::invalid_argument,
                        "layout: expected 2 pairs, of rotary_dim 4 on 1 position axes, found 4");
}

TEST(SpectrumFromInvFreq, RefusesWhatIsNotAFrequency) {
  for (double f : {std::nan(""), static_cast<double>(INFINITY), 0x1p33}) {
    EXPECT_ROPEWALK_ERROR(spectrum_from_inv_freq(std::vector<double>{f}),
                          ErrorCode::invalid_argument, "inv_freq");
  }
}

TEST(IdealSpectrum, RefusesWhatItCannotHold) {
  EXPECT_ROPEWALK_ERROR(ideal_spectrum(0.5, 4, 2), ErrorCode::invalid_argument,
                        "base of an ideal spectrum: expected 1..2^60, found 0.5");
  EXPECT_ROPEWALK_ERROR(ideal_spectrum(std::nan(""), 4, 2), ErrorCode::invalid_argument,
                        "base of an ideal spectrum: expected 1..2^60, found nan");
  EXPECT_ROPEWALK_ERROR(ideal_spectrum(1e4, 0, 2), ErrorCode::invalid_argument,
                        "frequencies, found 0 and 2");
}

}  // namespace
}  // namespace ropewalk
