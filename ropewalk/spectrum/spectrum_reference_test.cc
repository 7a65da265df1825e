// Frequencies beside those of transformers' LlamaRotaryEmbedding, bit for bit.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/fixture.h"

namespace ropewalk {
namespace {

using testing::Fixture;

RopeConfig default_config(double theta, int64_t dim) {
  RopeConfig config;
  config.rope_theta = theta;
  config.rotary_dim = dim;
  config.layout = {dim, {{0, dim, Pairing::half_split}}};
  return config;
}

int64_t ulps_apart(float a, float b) {
  return std::abs(static_cast<int64_t>(std::bit_cast<int32_t>(a)) - std::bit_cast<int32_t>(b));
}

struct Difference {
  int64_t largest = 0;  // in ULP
  int64_t count = 0;
};

Difference compare(const Spectrum& ours, std::span<const float> reference) {
  EXPECT_EQ(ours.inv_freq.size(), reference.size());
  Difference difference;
  for (size_t i = 0; i < reference.size(); ++i) {
    const auto value = static_cast<float>(ours.inv_freq[i]);
    EXPECT_EQ(static_cast<double>(value), ours.inv_freq[i]) << "not a float32 number: pair " << i;
    const int64_t ulps = ulps_apart(value, reference[i]);
    difference.largest = std::max(difference.largest, ulps);
    difference.count += ulps != 0;
  }
  return difference;
}

// torch's vectorised pow (AVX2 and AVX-512 alike) is not always the nearest float32, its scalar one
// is: transformers itself gives two vectors on two machines. One entry of a vector differs at most,
// by one ULP, and none for the bases and head_dims of LLaMA 1 to 3, Baichuan, ChatGLM and GLM-4.
TEST(SpectrumReference, InvFreqOfTransformers) {
  const Fixture fixture("inv_freq");
  for (const double theta : {1e4, 5e5, 1e6, 5e6}) {
    for (const int64_t dim : {64, 128, 256}) {
      const std::string name =
          "theta" + std::to_string(static_cast<int64_t>(theta)) + "_dim" + std::to_string(dim);
      const Difference difference =
          compare(make_spectrum(default_config(theta, dim)), fixture.f32(name));
      EXPECT_LE(difference.largest, 1) << name;
      EXPECT_LE(difference.count, dim == 64 || (dim == 128 && theta <= 5e5) ? 0 : 1) << name;
    }
  }
}

// ChatGLM-6B keeps inv_freq in float16: rounded once from the float32 numbers.
TEST(SpectrumReference, Float16InvFreqOfChatGlm6B) {
  const Fixture fixture("rope_chatglm_6b");
  RopeConfig config = default_config(10000, 64);
  config.position_axes = 2;
  config.inv_freq_dtype = DType::f16;
  config.layout = {128, {{0, 64, Pairing::half_split}, {64, 64, Pairing::half_split}}};
  const Spectrum spectrum = make_spectrum(config);
  const Tensor expected = converted(fixture.view("inv_freq"), DType::f32);
  const auto* numbers = reinterpret_cast<const float*>(expected.bytes.data());
  ASSERT_EQ(spectrum.inv_freq.size(), 64u);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(spectrum.inv_freq[i], static_cast<double>(numbers[i % 32])) << i;
    EXPECT_EQ(spectrum.axis[i], static_cast<int32_t>(i / 32)) << i;
  }
}

}  // namespace
}  // namespace ropewalk
