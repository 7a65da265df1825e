// Every rope_type beside transformers' own code, bit for bit.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/scaling_parameters.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/fixture.h"

namespace ropewalk {
namespace {

using testing::Fixture;

RopeConfig config_of(const nlohmann::ordered_json& item) {
  RopeConfig config;
  config.rope_theta = item.at("rope_theta");
  config.rope_type = item.at("rope_type");
  config.rotary_dim = item.at("rotary_dim");
  const int64_t head_dim = item.at("head_dim");
  config.layout = {head_dim, {{0, config.rotary_dim, Pairing::half_split}}};
  for (const auto& [key, value] : item.at("parameters").items()) {
    if (value.is_array()) {
      config.lists[key] = value.get<std::vector<double>>();
    } else {
      config.parameters[key] = value.is_boolean() ? value.get<bool>() : value.get<double>();
    }
  }
  return config;
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
    const int64_t ulps =
        std::abs(std::bit_cast<int32_t>(value) - std::bit_cast<int32_t>(reference[i]));
    difference.largest = std::max(difference.largest, ulps);
    difference.count += ulps != 0;
  }
  return difference;
}

// What torch's own pow may be off, in ULP of the frequency: one ULP of a power is up to two of its
// reciprocal, and the roundings after it may add one. Ours is the nearest float32.
//   scalar: the C library's powf, wrong where the exact power is next to the middle of two floats;
//   avx2: SLEEF's powf.
// mixed_b of ntk has a second pow in the exponent of an exp, which magnifies its ULP.
constexpr int64_t kPow = 3;
constexpr int64_t kPowOfMixedB = 8;

TEST(ScalingsReference, InvFreqOfTransformers) {
  const Fixture fixture("scalings");
  std::set<std::string> types;
  int64_t entries = 0, differing = 0;
  for (size_t i = 0; i < fixture.info().at("cases").size(); ++i) {
    const auto& item = fixture.info().at("cases")[i];
    SCOPED_TRACE(item.dump());
    const bool mixed = item.at("parameters").contains("mixed_b");
    const Spectrum spectrum = make_spectrum(config_of(item), item.at("seq_len"));
    const Difference scalar = compare(spectrum, fixture.f32("inv_freq_" + std::to_string(i)));
    EXPECT_LE(scalar.largest, mixed ? kPowOfMixedB : kPow);
    entries += mixed ? 0 : static_cast<int64_t>(spectrum.inv_freq.size());
    differing += mixed ? 0 : scalar.count;
    if (item.at("name") != "random") {
      EXPECT_EQ(scalar.count, 0);
    }
    const std::string avx2 = "avx2_" + std::to_string(i);
    if (fixture.contains(avx2)) {
      EXPECT_LE(compare(spectrum, fixture.f32(avx2)).largest, mixed ? kPowOfMixedB : kPow);
    }
    EXPECT_EQ(spectrum.attention_scaling, item.at("attention_scaling").get<double>());
    EXPECT_EQ(spectrum.softmax_scale, item.at("softmax_scale").get<double>());
    types.insert(item.at("rope_type"));
  }
  EXPECT_GT(entries, 10000);
  EXPECT_LE(differing, 5);
  for (std::string_view type : rope_types()) {
    EXPECT_EQ(types.count(std::string(type)), type == "default" ? 0u : 1u) << type;
  }
}

}  // namespace
}  // namespace ropewalk
