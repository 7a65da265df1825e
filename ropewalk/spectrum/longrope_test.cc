#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/tensors.h"
#include "ropewalk/testing/tolerance.h"

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

// huggingface/transformers#33129.
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

// Keys that were turned with the short factors do not fit a query turned with the long ones:
// R_long R_short^-1 makes them so, without the prompt.
TEST(Longrope, L01_CachedKeysAreTurnedAnew) {
  const RopeConfig config = phi();
  const Spectrum before = make_spectrum(config, 4096), after = make_spectrum(config, 4097);
  const Tensor key = testing::random_tensor({1, 4096, 1, 96}, 1);
  const auto turned = [&](const Spectrum& spectrum, Tensor x, Direction direction) {
    apply_rope(spectrum, config.layout, positions_from(0), in_place(x.view()), std::nullopt,
               {.direction = direction});
    return x;
  };
  const auto expected = testing::floats(turned(after, key, Direction::forward));
  const Tensor stale = turned(before, key, Direction::forward);
  const auto anew =
      testing::floats(turned(after, turned(before, stale, Direction::inverse), Direction::forward));
  const auto kept = testing::floats(stale);
  double off = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    // Three rotations beside one, of pairs of normal numbers: none is longer than 8 here.
    ASSERT_NEAR(anew[i], expected[i], 4 * testing::kRotation * 8) << i;
    off = std::max(off, std::fabs(double{kept[i]} - expected[i]));
  }
  EXPECT_GT(off, 1);
}

// lablup/mlxcel#1358: the long factors were used for every length, the mscales for none.
TEST(Longrope, L03_ShortFactorsAreReadAndTheMscalesToo) {
  RopeConfig config = phi();
  config.lists["short_factor"].assign(48, 2);
  EXPECT_EQ(make_spectrum(config, 100).inv_freq[0], 0.5);
  config.parameters["short_mscale"] = 1.25;
  config.parameters["long_mscale"] = 1.5;
  EXPECT_EQ(make_spectrum(config, 100).attention_scaling, 1.25);
  EXPECT_EQ(make_spectrum(config, 5000).attention_scaling, 1.5);
}

// The length is that of the whole sequence, not the offset of its first token
// (ggml-org/llama.cpp#6849).
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
