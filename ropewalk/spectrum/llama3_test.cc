#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

RopeConfig llama3(double factor, int64_t dim, double low = 1, double high = 4) {
  return scaled_config("llama3", 5e5, dim,
                       {{"factor", factor},
                        {"low_freq_factor", low},
                        {"high_freq_factor", high},
                        {"original_max_position_embeddings", 8192}});
}

std::vector<double> unscaled(const RopeConfig& config) {
  return make_spectrum(scaled_config("default", config.rope_theta, config.rotary_dim)).inv_freq;
}

// The pairs before `first` are kept, those after the ramp divided by the factor.
void expect_bands(const RopeConfig& config, size_t first, const std::vector<double>& ramp) {
  const std::vector<double> scaled = make_spectrum(config).inv_freq;
  const std::vector<double> plain = unscaled(config);
  const double factor = config.parameters.at("factor");
  for (size_t i = 0; i < first; ++i) EXPECT_EQ(scaled[i], plain[i]) << i;
  for (size_t i = 0; i < ramp.size(); ++i) {
    EXPECT_NEAR(scaled[first + i] / ramp[i], 1, 5e-7) << first + i;
  }
  for (size_t i = first + ramp.size(); i < plain.size(); ++i) {
    EXPECT_EQ(scaled[i], plain[i] / factor) << i;
  }
}

// ggml-org/llama.cpp#8676: without this scaling Llama 3.1 is good up to 8192 positions only.
TEST(Llama3, S01_Llama31) {
  expect_bands(
      llama3(8, 128), 29,
      {2.166571e-03, 1.371894e-03, 8.567514e-04, 5.248462e-04, 3.126938e-04, 1.785078e-04});
  EXPECT_NEAR(make_spectrum(llama3(8, 128)).inv_freq.back(), 3.068926e-07, 5e-14);
}

// jmaczan/tiny-vllm#1: the same with the other factor and head of Llama 3.2.
TEST(Llama3, S03_Llama32) {
  expect_bands(llama3(32, 64), 15, {1.290548e-03, 4.295568e-04, 9.708288e-05});
  EXPECT_NEAR(make_spectrum(llama3(32, 64)).inv_freq.back(), 9.418307e-08, 1e-14);
}

// vllm-project/vllm#7268: a GGUF keeps the same scaling as divisors of the unscaled frequencies.
TEST(Llama3, S07_RopeFreqsOfAGguf) {
  const RopeConfig config = llama3(8, 128);
  RopeConfig gguf = scaled_config("default", 5e5, 128);
  std::vector<double>& divisors = gguf.lists["freq_factors"];
  divisors.assign(64, 8);
  std::fill_n(divisors.begin(), 29, 1);
  const double ramp[] = {1.207484, 1.553415, 2.026313, 2.694530, 3.684253, 5.257327};
  std::copy(std::begin(ramp), std::end(ramp), divisors.begin() + 29);
  const std::vector<double> expected = make_spectrum(config).inv_freq;
  const std::vector<double> found = make_spectrum(gguf).inv_freq;
  for (size_t i = 0; i < 64; ++i) EXPECT_NEAR(found[i] / expected[i], 1, 1e-6) << i;
}

// No ramp: 0/0 must not be evaluated.
TEST(Llama3, EqualFactorsOfLlama4Scout) {
  const RopeConfig config = llama3(16, 128, 1, 1);
  const std::vector<double> plain = unscaled(config);
  size_t first = 0;
  while (2 * std::numbers::pi / plain[first] <= 8192) ++first;
  EXPECT_EQ(first, 35u);
  expect_bands(config, first, {});
}

// The wavelength of pair 0 is the float32 2 pi: where it lies on the edge itself it is kept.
TEST(Llama3, OnTheEdgeOfEqualFactorsIsKept) {
  RopeConfig config = llama3(16, 8);
  const double edge = static_cast<float>(2 * std::numbers::pi);
  config.parameters["low_freq_factor"] = config.parameters["high_freq_factor"] = 8192 / edge;
  EXPECT_EQ(make_spectrum(config).inv_freq[0], 1);
}

TEST(Llama3, FactorsInTheWrongOrder) {
  EXPECT_ROPEWALK_ERROR(make_spectrum(llama3(8, 64, 4, 1)), ErrorCode::invalid_argument,
                        "high_freq_factor: expected at least low_freq_factor 4, found 1");
}

// Kept, then falling to the factor, continuous at both ends of the ramp.
ROPEWALK_PROPERTY(Llama3, RatioFallsFromOneToTheFactor, [] {
  const double factor = *rc::gen::element(1.0, 2.0, 8.0, 32.0);
  RopeConfig config = llama3(factor, 4096);
  config.rope_theta = *rc::gen::element(1e4, 5e5, 1e7);
  const std::vector<double> scaled = make_spectrum(config).inv_freq;
  const std::vector<double> plain = unscaled(config);
  double last = 1;
  for (size_t i = 0; i < plain.size(); ++i) {
    const double ratio = scaled[i] / plain[i];
    RC_ASSERT(ratio <= last + 1e-6 && ratio >= 1 / factor - 1e-6);
    RC_ASSERT(last - ratio < 0.05);
    last = ratio;
  }
  RC_ASSERT(std::fabs(last - 1 / factor) < 1e-6);
});

}  // namespace
}  // namespace ropewalk
