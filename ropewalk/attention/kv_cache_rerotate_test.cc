// Keys that pass from one spectrum to another: LongRoPE, dynamic NTK.
#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/attention/kv_cache_testing.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::positions_of_sequence;
using testing::RandomTokens;
using testing::rotated;
using testing::small_config;

RopeConfig phi() {
  RopeConfig config{.rope_theta = 10000, .rope_type = "longrope", .rotary_dim = 8};
  config.parameters = {{"original_max_position_embeddings", 4096},
                       {"max_position_embeddings", 131072}};
  config.lists = {{"short_factor", {1, 1.02, 1.03, 1.03}}, {"long_factor", {1.08, 1.4, 20, 64.8}}};
  config.layout = {8, {{0, 8, Pairing::half_split}}};
  return config;
}

// Phi-3.5 past 4096: every key is to be that of the long factors.
TEST(KvCacheRerotate, FromShortToLongFactors) {
  const Spectrum brief = make_spectrum(phi(), 4096), extended = make_spectrum(phi(), 4097);
  ASSERT_FALSE(brief == extended);
  KvCacheConfig config{.kv_heads = 2,
                       .layout = phi().layout,
                       .spectrum = brief,
                       .k_dtype = DType::f32,
                       .page_size = 16};
  const RandomTokens tokens(config, 40);
  for (bool raw : {false, true}) {
    if (raw) config.raw_k_dtype = DType::f32;
    KvCache cache(config);
    cache.append(0, positions_from(4060), tokens.some(0, 36));
    const auto as_short = cache.gather(0).k.bytes;
    cache.rerotate(0, extended);
    cache.append(0, positions_from(4096), tokens.some(36, 4));
    EXPECT_TRUE(*cache.spectrum(0) == extended);
    const Tensor expected = rotated(extended, config.layout, positions_from(4060), tokens.k);
    EXPECT_LE(testing::worst(cache.gather(0).k, expected), raw ? 0 : 2 * testing::kRotation);
    // And shifted on top of it, from the first image still: one step.
    cache.shift(0, {4060, 4100}, -4060);
    const Tensor there = rotated(extended, config.layout, positions_from(0), tokens.k);
    EXPECT_LE(testing::worst(cache.gather(0).k, there), raw ? 0 : 2 * testing::kRotation);
    cache.shift(0, {0, 40}, 4060);
    cache.remove(0, {4096, 4100});
    cache.rerotate(0, brief);
    EXPECT_EQ(cache.gather(0).k.bytes, as_short);
  }
}

// transformers #25104: a key rotated when the sequence was 2049 long, a query at 4095 of 4096.
TEST(KvCacheRerotate, DynamicNtkGrows) {
  RopeConfig rope{.rope_theta = 10000, .rope_type = "dynamic", .rotary_dim = 128};
  rope.parameters = {{"factor", 2}, {"max_position_embeddings", 2048}};
  rope.layout = {128, {{0, 128, Pairing::half_split}}};
  KvCacheConfig config{.kv_heads = 1,
                       .layout = rope.layout,
                       .spectrum = make_spectrum(rope, 2049),
                       .k_dtype = DType::f32};
  Tensor ones = make_tensor(DType::f32, {1, 1, 128});
  for (int i = 0; i < 64; ++i) reinterpret_cast<float*>(ones.bytes.data())[i] = 1;
  KvCache cache(config);
  cache.append(0, positions_from(2000), {ones.view()});
  // The angle between the query and the key, pair by pair.
  const Spectrum later = make_spectrum(rope, 4096);
  const auto q = testing::floats(rotated(later, config.layout, positions_from(4095), ones));
  const auto angle = [&](size_t i) {
    const auto k = testing::floats(cache.gather(0).k);
    return std::atan2(q[i + 64] * k[i] - q[i] * k[i + 64], q[i] * k[i] + q[i + 64] * k[i + 64]);
  };
  EXPECT_NEAR(angle(30), 5.705 - 2 * M_PI, 1e-3);
  EXPECT_NEAR(angle(63), -0.0731, 1e-4);
  cache.rerotate(0, later);
  EXPECT_NEAR(angle(30), 16.557 - 6 * M_PI, 1e-3);
  EXPECT_NEAR(angle(63), 0.0806, 1e-4);
}

// A new spectrum for each token: those that no cell has are forgotten, and the last one decides.
TEST(KvCacheRerotate, ManySpectra) {
  KvCacheConfig config = small_config();
  const RandomTokens tokens(config, 30);
  for (bool raw : {false, true}) {
    if (raw) config.raw_k_dtype = DType::f32;
    KvCache cache(config);
    Spectrum last = *config.spectrum;
    for (int64_t t = 0; t < 30; ++t) {
      last = testing::spectrum_of(100.0 + static_cast<double>(t), 6);
      cache.append(0, positions_from(t), tokens.some(t, 1));
      cache.rerotate(0, last);
      if (t % 7 == 6) cache.keep_ends(0, 2, 5);
    }
    EXPECT_EQ(positions_of_sequence(cache), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 28, 29}));
    // Of tokens 0, 1, 23..27, 28, 29.
    const auto ours = testing::floats(cache.gather(0).k);
    const auto at = [&](int64_t first) {
      return testing::floats(rotated(last, config.layout, positions_from(first), tokens.k));
    };
    const auto sinks = at(0), recent = at(-21);
    for (size_t i = 0; i < 16; ++i) {
      const double bound = raw ? 0 : 2e-6;
      EXPECT_NEAR(ours[16 + i], sinks[16 + i], bound);
      EXPECT_NEAR(ours[2 * 16 + i], recent[23 * 16 + i], bound);
      EXPECT_NEAR(ours[6 * 16 + i], recent[27 * 16 + i], bound);
      EXPECT_NEAR(ours[8 * 16 + i], sinks[29 * 16 + i], bound);
    }
  }
}

}  // namespace
}  // namespace ropewalk
