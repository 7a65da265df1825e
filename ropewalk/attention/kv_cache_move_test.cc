// Shifts, other spectra and evictions, beside keys rotated where they end up.
#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/attention/kv_cache_testing.h"
#include "ropewalk/base/random.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::filled;
using testing::kKvTypes;
using testing::positions_of_sequence;
using testing::positions_view;
using testing::RandomTokens;
using testing::rotated;
using testing::small_config;

Tensor tokens_from(const Tensor& tensor, int64_t first) {
  Tensor rest{tensor.dtype, tensor.shape, tensor.bytes};
  const auto row = static_cast<int64_t>(tensor.bytes.size()) / tensor.shape[0];
  rest.bytes.erase(rest.bytes.begin(), rest.bytes.begin() + first * row);
  rest.shape[0] -= first;
  return rest;
}

std::vector<KvCacheConfig> all_configs() {
  std::vector<KvCacheConfig> configs;
  for (DType dtype : kKvTypes) {
    configs.push_back(small_config(dtype));
    configs.push_back(small_config(dtype));
    configs.back().raw_k_dtype = DType::bf16;
  }
  return configs;
}

TEST(KvCacheMove, AThousandShiftsAreOne) {
  for (const KvCacheConfig& config : all_configs()) {
    const RandomTokens tokens(config, 10);
    KvCache many(config), one(config);
    many.append(0, positions_from(50000), tokens.all());
    one.append(0, positions_from(50000), tokens.all());
    const KvCache before = many;
    int64_t first = 50000;
    for (uint64_t i = 0; i < 1000; ++i) {
      const auto delta = static_cast<int64_t>(philox4x32(3, i)[0] % 1025) - 512;
      many.shift(0, {first, first + 10}, delta);
      first += delta;
    }
    one.shift(0, {50000, 50010}, first - 50000);
    EXPECT_EQ(many.gather(0).k.bytes, one.gather(0).k.bytes) << name(config.k_dtype);
    EXPECT_TRUE(many == one);
    many.shift(0, {first, first + 10}, 50000 - first);
    EXPECT_EQ(many.gather(0).k.bytes, before.gather(0).k.bytes) << name(config.k_dtype);
    EXPECT_TRUE(many == before);
  }
}

// Beside raw keys rotated at their last positions. What numerics has to say of a cache that rounds
// at every shift: bf16 0.11, f16 0.013, 8 bits 0.37 after 4096 of them.
TEST(KvCacheMove, ErrorAfterManyShiftsIsThatOfTwoRoundings) {
  struct Bound {
    DType dtype;
    double rms;
  };
  const RotaryLayout layout{128, {{0, 128, Pairing::half_split}}};
  // One rounding: f32 3.7e-8 (as that of `there`), f16 2.1e-4, bf16 1.7e-3, i8 5e-3 to 6e-3.
  for (const Bound& bound : {Bound{DType::f32, 8e-8}, Bound{DType::f16, 3.2e-4},
                             Bound{DType::bf16, 2.6e-3}, Bound{DType::i8, 1e-2}}) {
    KvCacheConfig config{.kv_heads = 4,
                         .layout = layout,
                         .spectrum = testing::spectrum_of(5e5, 128),
                         .k_dtype = bound.dtype};
    const RandomTokens tokens(config, 64);
    KvCache cache(config);
    cache.append(0, positions_from(1 << 20), tokens.all());
    for (int64_t i = 0; i < 64; ++i) cache.evict(0, {0, 7 + i});
    const Tensor there =
        rotated(*config.spectrum, layout, positions_from((1 << 20) - 64 * 7 - 63 * 32), tokens.k);
    EXPECT_LE(testing::rms(cache.gather_f32(0).k, there), bound.rms) << name(bound.dtype);
    config.raw_k_dtype = DType::f32;
    KvCache raw(config);
    raw.append(0, positions_from(1 << 20), tokens.all());
    const int64_t delta = 64 * 7 + 63 * 32;
    raw.shift(0, {1 << 20, (1 << 20) + 64}, -delta);
    if (bound.dtype != DType::i8) {
      EXPECT_EQ(raw.gather(0).k.bytes, converted(there.view(), bound.dtype).bytes);
    }
  }
}

// With raw keys a cache that was moved about is one that was filled where it ended.
TEST(KvCacheMove, WithRawKeysItIsAsIfFilledThere) {
  for (DType dtype : kKvTypes) {
    KvCacheConfig config = small_config(dtype);
    config.raw_k_dtype = DType::f32;
    const RandomTokens tokens(config, 23);
    KvCache cache = filled(config, tokens);
    cache.evict(0, {4, 9});       // tokens 0..3, then 9.. at 4..
    cache.shift(0, {10, 18}, 6);  // 15.. at 16..
    cache.remove(0, {17, 19});    // token 16 and 17
    KvCache there(config);
    there.append(0, positions_from(0), tokens.some(0, 4));
    there.append(0, positions_from(4), tokens.some(9, 6));
    there.append(0, positions_from(16), tokens.some(15, 1));
    there.append(0, positions_from(19), tokens.some(18, 5));
    EXPECT_TRUE(cache == there) << name(dtype);
    EXPECT_EQ(cache.gather(0).k.bytes, there.gather(0).k.bytes) << name(dtype);
    EXPECT_EQ(cache.gather(0).positions.bytes, there.gather(0).positions.bytes);
  }
}

// Any order of verbs, in two caches of other page sizes, filled in other pieces.
ROPEWALK_PROPERTY(KvCacheMove, PageSizeAndPiecesDoNotMatter, [](uint64_t seed) {
  auto draw = [&, i = uint64_t{0}](int64_t count) mutable {
    return static_cast<int64_t>(philox4x32(seed, i++)[0]) % std::max<int64_t>(count, 1);
  };
  KvCacheConfig config = small_config(kKvTypes[draw(4)], 1 + draw(9));
  if (draw(2) == 0) config.raw_k_dtype = DType::f32;
  KvCacheConfig other_config = config;
  other_config.page_size = 1 + draw(9);
  KvCache one(config), other(other_config);
  int64_t next = 0;
  for (int64_t step = 0; step < 12; ++step) {
    const int64_t length = next > 0 ? one.length(0) : 0;
    const int64_t first = draw(length + 1), end = first + draw(length - first + 1);
    const int64_t verb = next == 0 ? 0 : draw(5), delta = draw(12) - 2;
    if (verb == 0) {
      const int64_t count = 1 + draw(12), cut = draw(count);
      const RandomTokens tokens(config, count, static_cast<uint64_t>(step) + 1);
      one.append(0, positions_from(next), tokens.all());
      other.append(0, positions_from(next), tokens.some(0, cut));
      other.append(0, positions_from(next + cut), tokens.some(cut, count - cut));
      next += count;
    }
    const auto act = [&](KvCache& cache) -> std::string {
      try {
        if (verb == 1) cache.shift(0, {first, end}, delta);
        if (verb == 2) cache.evict(0, {first, end});
        if (verb == 3) cache.keep_ends(0, first % 5, end % 7);
        if (verb == 4) cache.rerotate(0, testing::spectrum_of(step % 2 == 0 ? 100 : 900, 6));
      } catch (const Error& error) {
        return error.what();  // a position below 0
      }
      return "";
    };
    RC_ASSERT(act(one) == act(other));
  }
  const KvTensors a = one.gather(0), b = other.gather(0);
  RC_ASSERT(a.k.bytes == b.k.bytes);
  RC_ASSERT(a.v.bytes == b.v.bytes);
  RC_ASSERT(a.positions.bytes == b.positions.bytes);
})

// Phi-2: 80 channels of which 32 turn.
TEST(KvCacheMove, OnlyRotatedChannelsTurn) {
  for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    const KvCacheConfig config{.kv_heads = 3,
                               .layout = {80, {{0, 32, Pairing::half_split}}},
                               .spectrum = testing::spectrum_of(10000, 32),
                               .k_dtype = dtype};
    const RandomTokens tokens(config, 6, 1, dtype);
    KvCache cache(config);
    cache.append(0, positions_from(5), tokens.all());
    const auto before = cache.gather(0).k.bytes;
    cache.shift(0, {5, 11}, -5);
    const auto after = cache.gather(0).k.bytes;
    const size_t size = size_in_bytes(dtype);
    for (size_t row = 0; row < 18; ++row) {
      const auto* const a = before.data() + row * 80 * size;
      const auto* const b = after.data() + row * 80 * size;
      EXPECT_NE(std::memcmp(a, b, 32 * size), 0);
      EXPECT_EQ(std::memcmp(a + 32 * size, b + 32 * size, 48 * size), 0);
      EXPECT_EQ(
          std::memcmp(b + 32 * size, tokens.k.bytes.data() + (row * 80 + 32) * size, 48 * size), 0);
    }
  }
}

// M-RoPE: text, an image of 2 x 2 patches, text. A span of text moves alike on all axes, the image
// by a vector.
TEST(KvCacheMove, PositionsOfSeveralAxes) {
  KvCacheConfig config = small_config();
  config.spectrum->axis = {0, 1, 2};
  const RandomTokens tokens(config, 8);
  const std::vector<int64_t> ids = {3, 4, 5, 5, 5, 5, 7, 8,  //
                                    3, 4, 5, 5, 6, 6, 7, 8,  //
                                    3, 4, 5, 6, 5, 6, 7, 8};
  const std::vector<int64_t> deltas = {1, 20, 10};
  const std::vector<int64_t> expected = {0, 2,  2,  2,  2,  3, 4,  //
                                         0, 21, 21, 22, 22, 3, 4,  //
                                         0, 11, 12, 11, 12, 3, 4};
  const Tensor there = rotated(*config.spectrum, config.layout, positions_view(expected, {3, 1, 7}),
                               tokens_from(tokens.k, 1));
  for (bool raw : {false, true}) {
    if (raw) config.raw_k_dtype = DType::f32;
    KvCache cache(config);
    cache.append(0, positions_view(ids, {3, 1, 8}), tokens.all());
    EXPECT_EQ(cache.length(0), 9);
    cache.shift(0, {5, 6}, deltas);
    cache.evict(0, {0, 4});  // the first token, and 4 positions
    EXPECT_EQ(positions_of_sequence(cache), expected);
    EXPECT_LE(testing::worst(cache.gather(0).k, there), raw ? 0 : 2 * testing::kRotation);
  }
}

TEST(KvCacheMove, KeepsTheFirstAndTheLast) {
  const KvCacheConfig config = small_config(DType::f32, 4);
  const RandomTokens tokens(config, 12);
  KvCache cache = filled(config, tokens);
  cache.keep_ends(0, 2, 10);
  cache.keep_ends(0, 20, 0);
  EXPECT_TRUE(cache == filled(config, tokens));
  // Token by token, as a stream: never more than 2 + 5 tokens, at positions 0..6.
  KvCache stream(config);
  for (int64_t t = 0; t < 12; ++t) {
    const auto here = stream.sequences().empty() ? 0 : stream.length(0);
    stream.append(0, positions_from(here), tokens.some(t, 1));
    stream.keep_ends(0, 2, 5);
  }
  cache.keep_ends(0, 2, 5);
  EXPECT_EQ(positions_of_sequence(cache), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(positions_of_sequence(stream), positions_of_sequence(cache));
  EXPECT_EQ(stream.gather(0).v.bytes, cache.gather(0).v.bytes);
  EXPECT_LE(testing::worst(stream.gather(0).k, cache.gather(0).k), 3 * testing::kRotation);
  cache.keep_ends(0, 0, 0);
  EXPECT_EQ(cache.tokens(0), 0);
  EXPECT_EQ(cache.length(0), 0);
}

}  // namespace
}  // namespace ropewalk
