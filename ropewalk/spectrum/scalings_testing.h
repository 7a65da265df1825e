#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// A config on the whole head.
inline RopeConfig scaled_config(std::string rope_type, double rope_theta, int64_t dim,
                                std::map<std::string, double> parameters = {}) {
  RopeConfig config;
  config.rope_theta = rope_theta;
  config.rope_type = std::move(rope_type);
  config.rotary_dim = dim;
  config.parameters = std::move(parameters);
  config.layout = {dim, {{0, dim, Pairing::half_split}}};
  return config;
}

// The config of one case of a fixture.
inline RopeConfig config_of(const nlohmann::ordered_json& item) {
  RopeConfig config;
  config.rope_theta = item.at("rope_theta");
  config.rope_type = item.at("rope_type");
  config.rotary_dim = item.at("rotary_dim");
  const int64_t head_dim = item.value("head_dim", config.rotary_dim);
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

inline Difference compare(const Spectrum& ours, std::span<const float> reference) {
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
inline constexpr int64_t kPow = 3;
inline constexpr int64_t kPowOfMixedB = 8;

}  // namespace ropewalk
