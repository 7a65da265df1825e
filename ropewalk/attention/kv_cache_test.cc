// What a cache stores and shows.
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "ropewalk/attention/kv_cache_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::filled;
using testing::floats;
using testing::kKvTypes;
using testing::positions_of_sequence;
using testing::RandomTokens;
using testing::rotated;
using testing::small_config;
using testing::tensor_of;

TEST(KvCache, WorkedNumber) {
  KvCacheConfig config{.kv_heads = 1,
                       .layout = {2, {{0, 2, Pairing::half_split}}},
                       .spectrum = spectrum_from_inv_freq({{1.0}}),
                       .k_dtype = DType::f32};
  KvCache cache(config);
  const Tensor k = tensor_of({1, 1, 2}, {1, 0});
  cache.append(7, positions_from(3), {k.view()});
  cache.shift(7, {3, 4}, -1);
  const auto read = floats(cache.gather(7).k);
  EXPECT_NEAR(read[0], -0.4161468, 1e-7);
  EXPECT_NEAR(read[1], 0.9092974, 1e-7);
}

TEST(KvCache, StoresTheBitsOfApplyRope) {
  for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    for (bool raw : {false, true}) {
      KvCacheConfig config = small_config(dtype);
      if (raw) config.raw_k_dtype = dtype;
      const RandomTokens tokens(config, 11, 5, dtype);
      KvCache cache(config);
      cache.append(0, positions_from(1000), tokens.all());
      const KvTensors read = cache.gather(0);
      EXPECT_EQ(read.k.bytes,
                rotated(*config.spectrum, config.layout, positions_from(1000), tokens.k).bytes)
          << name(dtype) << raw;
      EXPECT_EQ(read.v.bytes, tokens.v.bytes);
      EXPECT_EQ(read.k.shape, (Dims{1, 11, 2, 8}));
      EXPECT_EQ(read.v.shape, (Dims{1, 11, 2, 4}));
      EXPECT_EQ(positions_of_sequence(cache).back(), 1010);
    }
  }
}

TEST(KvCache, AnotherTypeIsRotatedInFloat32AndRoundedOnce) {
  for (DType from : {DType::f32, DType::bf16, DType::f16}) {
    for (DType to : {DType::f32, DType::bf16, DType::f16}) {
      const KvCacheConfig config = small_config(to);
      const RandomTokens tokens(config, 9, 3, from);
      const Tensor turned = rotated(*config.spectrum, config.layout, positions_from(0),
                                    converted(tokens.k.view(), DType::f32));
      EXPECT_EQ(filled(config, tokens).gather(0).k.bytes, converted(turned.view(), to).bytes)
          << name(from) << " in " << name(to);
    }
  }
}

TEST(KvCache, RowsMadeOnceAndStridedInputGiveTheSame) {
  const KvCacheConfig config = small_config(DType::bf16);
  const RandomTokens tokens(config, 10, 8, DType::bf16);
  const RopeRows rows = make_rope_rows(*config.spectrum, positions_from(0), 1, 10);
  KvCache with_rows(config), strided(config);
  with_rows.append(0, positions_from(0), tokens.some(0, 10, &rows));
  // The same numbers as [heads, tokens, channels].
  const Tensor k = contiguous_copy(permuted(tokens.k.view(), {1, 0, 2}));
  const Tensor v = contiguous_copy(permuted(tokens.v.view(), {2, 1, 0}));
  strided.append(0, positions_from(0),
                 {permuted(k.view(), {1, 0, 2}), permuted(v.view(), {2, 1, 0})});
  EXPECT_TRUE(with_rows == filled(config, tokens));
  EXPECT_TRUE(strided == filled(config, tokens));
}

// DeepSeek: one latent row with a rotated part behind it, read interleaved, written half-split, and
// no values.
TEST(KvCache, LatentAttention) {
  for (bool raw : {false, true}) {
    const KvCacheConfig config{.kv_heads = 1,
                               .layout = {24, {{16, 8, Pairing::interleaved}}},
                               .output_layout = RotaryLayout{24, {{16, 8, Pairing::half_split}}},
                               .spectrum = testing::spectrum_of(10000, 8),
                               .k_dtype = DType::f32,
                               .raw_k_dtype = raw ? std::optional(DType::f32) : std::nullopt};
    const RandomTokens tokens(config, 5);
    KvCache cache(config);
    cache.append(0, positions_from(2), tokens.all());
    EXPECT_TRUE(cache.gather(0).v.shape.empty());
    EXPECT_TRUE(cache.pages(0)[0].v.shape.empty());
    const auto expected = [&](int64_t first) {
      Tensor out = make_tensor(DType::f32, tokens.k.shape);
      apply_rope(*config.spectrum, config.layout, positions_from(first),
                 {tokens.k.view(), out.view()}, std::nullopt,
                 {.output_layout = config.output_layout});
      return out;
    };
    EXPECT_EQ(cache.gather(0).k.bytes, expected(2).bytes);
    cache.shift(0, {0, 7}, -2);
    const Tensor there = expected(0);
    EXPECT_LE(testing::worst(cache.gather(0).k, there), raw ? 0 : 2 * testing::kRotation);
    for (int64_t t = 0; t < 5; ++t) {
      EXPECT_EQ(
          std::memcmp(cache.gather(0).k.bytes.data() + t * 96, tokens.k.bytes.data() + t * 96, 64),
          0);
    }
  }
}

TEST(KvCache, WithoutASpectrumOnlyPositionsMove) {
  KvCacheConfig config = small_config(DType::f16);
  config.spectrum.reset();
  config.layout.windows.clear();
  const RandomTokens tokens(config, 9, 2, DType::f16);
  KvCache cache = filled(config, tokens);
  EXPECT_EQ(cache.spectrum(0), nullptr);
  cache.evict(0, {2, 5});
  EXPECT_EQ(positions_of_sequence(cache), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  const auto k = cache.gather(0).k.bytes;
  const int64_t row = 32;  // bytes: 2 heads of 8 channels
  EXPECT_EQ(std::memcmp(k.data() + 2 * row, tokens.k.bytes.data() + 5 * row, 4 * row), 0);
}

TEST(KvCache, PagesShowWhatGatherCopies) {
  for (DType dtype : kKvTypes) {
    const KvCacheConfig config = small_config(dtype, 4);
    KvCache cache = filled(config, RandomTokens(config, 10));
    cache.remove(0, {1, 3});
    cache.shift(0, {5, 10}, 90);
    const KvTensors all = cache.gather_f32(0);
    const auto k = floats(all.k), v = floats(all.v);
    const auto positions = positions_of_sequence(cache);
    int64_t token = 0;
    for (const KvPage& page : cache.pages(0)) {
      ASSERT_EQ(page.k.shape, (Dims{2, page.tokens, 8}));
      ASSERT_EQ(page.v.shape, (Dims{2, page.tokens, 4}));
      EXPECT_EQ(page.k.strides[2], 1);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(page.k.data) % 64, 0U);
      EXPECT_EQ(page.k_scales.shape.empty(), dtype != DType::i8);
      const auto number = [](const ConstTensorView& rows, const ConstTensorView& scales, int64_t h,
                             int64_t t, int64_t c) -> float {
        const int64_t at = h * rows.strides[0] + t * rows.strides[1] + c;
        if (rows.dtype == DType::f32) return static_cast<const float*>(rows.data)[at];
        if (rows.dtype == DType::i8) {
          return static_cast<const int8_t*>(rows.data)[at] *
                 static_cast<const float*>(scales.data)[h * scales.strides[0] + t];
        }
        const auto bits = static_cast<const uint16_t*>(rows.data)[at];
        return rows.dtype == DType::bf16 ? float_from_bf16(bits) : float_from_f16(bits);
      };
      for (int64_t t = 0; t < page.tokens; ++t, ++token) {
        EXPECT_EQ(static_cast<const int64_t*>(page.positions.data)[t],
                  positions[static_cast<size_t>(token)]);
        for (int64_t h = 0; h < 2; ++h) {
          const auto row = static_cast<size_t>(token * 2 + h);
          EXPECT_EQ(number(page.k, page.k_scales, h, t, 5), k[row * 8 + 5]) << name(dtype);
          EXPECT_EQ(number(page.v, page.v_scales, h, t, 3), v[row * 4 + 3]) << name(dtype);
        }
      }
    }
    EXPECT_EQ(token, 8);
  }
}

TEST(KvCache, Int8IsOffByHalfItsScale) {
  KvCacheConfig config = small_config(DType::i8);
  config.spectrum.reset();
  config.layout.windows.clear();
  RandomTokens tokens(config, 40);
  auto* k = reinterpret_cast<float*>(tokens.k.bytes.data());
  for (int i = 0; i < 8; ++i) k[i] = 0;                                         // zeros
  for (int i = 8; i < 16; ++i) k[i] = std::ldexp(k[i], -140);                   // denormal
  for (int i = 16; i < 24; ++i) k[i] = std::ldexp(std::fmod(k[i], 1.0F), 127);  // huge
  k[24] = INFINITY;
  k[32] = NAN;
  KvCache cache = filled(config, tokens);
  const auto read = floats(cache.gather(0).k);
  for (size_t row = 0; row < 80; ++row) {
    float largest = 0;
    for (size_t c = 0; c < 8; ++c) largest = std::fmax(largest, std::fabs(k[row * 8 + c]));
    const double scale = std::fmax(static_cast<double>(largest) / 127, 0x1p-126);
    for (size_t c = 0; c < 8; ++c) {
      if (row == 3 || row == 4) {
        EXPECT_TRUE(std::isnan(read[row * 8 + c]));
      } else {
        // Beside the rounding of the scale, of x / scale and of the product.
        EXPECT_LE(std::fabs(static_cast<double>(read[row * 8 + c]) - k[row * 8 + c]),
                  scale * (0.5 + 127 * 3 * testing::kRounding))
            << row;
      }
    }
  }
}

TEST(KvCache, IsAValue) {
  const KvCacheConfig config = small_config(DType::bf16);
  const RandomTokens tokens(config, 9);
  KvCache cache = filled(config, tokens);
  const KvCache before = cache;
  EXPECT_TRUE(cache == before);
  cache.shift(0, {0, 9}, 1);
  EXPECT_FALSE(cache == before);
  cache.shift(0, {0, 10}, -1);
  EXPECT_TRUE(cache == before);
  cache.append(1, positions_from(0), tokens.some(0, 1));
  EXPECT_FALSE(cache == before);
  EXPECT_EQ(cache.sequences(), (std::vector<int64_t>{0, 1}));
  cache.erase(1);
  KvCache moved = std::move(cache);
  EXPECT_TRUE(moved == before);
  moved.copy(0, -5);
  moved.evict(-5, {0, 4});
  EXPECT_EQ(moved.tokens(0), 9);
  EXPECT_EQ(moved.tokens(-5), 5);
  EXPECT_EQ(moved.length(-5), 5);
}

TEST(KvCache, EqualContentsAreEqualHoweverTheyLie) {
  const KvCacheConfig config = small_config(DType::i8);
  const RandomTokens tokens(config, 9);
  KvCache cache = filled(config, tokens), other(config);
  cache.remove(0, {2, 7});
  other.append(0, positions_from(0), tokens.some(0, 2));
  other.append(0, positions_from(7), tokens.some(7, 2));
  EXPECT_EQ(cache.pages(0).size(), 2U + 1U);
  EXPECT_EQ(other.pages(0).size(), 1U);
  EXPECT_TRUE(cache == other);
}

// A page of a shifted sequence holds k twice, any other once.
TEST(KvCache, MemoryIsThatOfItsPages) {
  KvCacheConfig config = small_config(DType::bf16, 32);
  const RandomTokens tokens(config, 64);
  KvCache cache = filled(config, tokens);
  const int64_t tokens_in_all = 64, positions = tokens_in_all * 24, k = tokens_in_all * 32,
                v = tokens_in_all * 16;
  EXPECT_EQ(cache.size_in_bytes(), positions + k + v);
  cache.shift(0, {40, 64}, 3);
  EXPECT_EQ(cache.size_in_bytes(), positions + k + k / 2 + v);
  cache.shift(0, {43, 67}, -3);
  EXPECT_EQ(cache.size_in_bytes(), positions + k + v);
  config.raw_k_dtype = DType::f32;
  EXPECT_EQ(filled(config, tokens).size_in_bytes(), positions + k + 2 * k + v);
}

}  // namespace
}  // namespace ropewalk
