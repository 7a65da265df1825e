#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

// Phi-3.5's lengths, with short factors of 1 and long factors that grow to 64.
RopeConfig phi() {
  RopeConfig config = scaled_config(
      "longrope", 1e4, 96,
      {{"original_max_position_embeddings", 4096}, {"max_position_embeddings", 131072}});
  for (int i = 0; i < 48; ++i) {
    config.lists["short_factor"].push_back(1);
    config.lists["long_factor"].push_back(1 + i * 63.0 / 47);
  }
  return config;
}

double slowest(const RopeConfig& config, int64_t seq_len) {
  return make_spectrum(config, seq_len).inv_freq.back();
}

TEST(Longrope, L01_SwitchesAfterTheOriginalLength) {
  const RopeConfig config = phi();
  for (int64_t length : {int64_t{0}, int64_t{1}, int64_t{4095}, int64_t{4096}}) {
    EXPECT_EQ(slowest(config, length), slowest(config, 0)) << length;
    EXPECT_NEAR(make_spectrum(config, length).attention_scaling, 1.190238, 5e-7);
  }
  for (int64_t length : {4097, 4098, 131072}) {
    EXPECT_EQ(slowest(config, length), slowest(config, 0) / 64) << length;
    EXPECT_NEAR(make_spectrum(config, length).attention_scaling, 1.190238, 5e-7);
  }
}

TEST(Longrope, L03_ShortFactorsAreReadAndTheMscalesToo) {
  RopeConfig config = phi();
  config.lists["short_factor"].assign(48, 2);
  EXPECT_EQ(make_spectrum(config, 100).inv_freq[0], 0.5);
  config.parameters["short_mscale"] = 1.25;
  config.parameters["long_mscale"] = 1.5;
  EXPECT_EQ(make_spectrum(config, 100).attention_scaling, 1.25);
  EXPECT_EQ(make_spectrum(config, 5000).attention_scaling, 1.5);
}

// The length is that of the whole sequence, not the offset of its first token.
TEST(Longrope, L04_APromptOf5000IsLong) { EXPECT_EQ(slowest(phi(), 5000), slowest(phi(), 131072)); }

ROPEWALK_PROPERTY(Longrope, FactorsOfOneAreDefault, [] {
  RopeConfig config = phi();
  config.rope_theta = *rc::gen::element(1e4, 1e6);
  config.lists["long_factor"] = config.lists["short_factor"];
  const int64_t length = *rc::gen::inRange(0, 100000);
  RC_ASSERT(make_spectrum(config, length).inv_freq ==
            make_spectrum(scaled_config("default", config.rope_theta, 96)).inv_freq);
});

}  // namespace
}  // namespace ropewalk
