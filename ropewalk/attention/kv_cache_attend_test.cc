// Tokens appended one by one and attended, beside the whole sequence at once.
#include "ropewalk/attention/kv_cache_attend.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/attention/kv_cache_testing.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::attended;
using testing::floats;
using testing::RandomTokens;
using testing::tokens_of;

constexpr int64_t kTokens = 37, kHeads = 6;

KvCacheConfig config_of(DType dtype) {
  const RotaryLayout layout{32, {{0, 32, Pairing::half_split}}};
  return {.kv_heads = 2,
          .v_dim = 16,
          .layout = layout,
          .spectrum = make_spectrum({.rope_theta = 1e4, .rotary_dim = 32, .layout = layout}),
          .k_dtype = dtype,
          .v_dtype = dtype,
          .page_size = 8};
}

// Queries [1, kTokens, kHeads, 32], rotated.
Tensor queries(const KvCacheConfig& config, DType dtype) {
  Tensor q = testing::random_tensor({1, kTokens, kHeads, 32}, 77, dtype);
  apply_rope(*config.spectrum, config.layout, positions_from(0), in_place(q.view()));
  return q;
}

// k and v of the tokens rotated all at once, and attended causally.
Tensor prefilled(const KvCacheConfig& config, const RandomTokens& tokens, const Tensor& q) {
  Tensor k = tokens.k, v = tokens.v;
  apply_rope(*config.spectrum, config.layout, positions_from(0), in_place(k.view()));
  for (Tensor* each : {&k, &v}) each->shape = {1, kTokens, 2, each->shape[2]};
  return attended(q, k, v, {.causal = true});
}

// Of every sequence token t is appended, then its query sees what the cache has.
Tensor decoded(const RandomTokens& tokens, const Tensor& q, KvCache& cache, int64_t sequence) {
  Tensor out = make_tensor(DType::f32, {1, kTokens, kHeads, 16});
  for (int64_t t = 0; t < kTokens; ++t) {
    cache.append(sequence, positions_from(t), tokens.some(t, 1));
    const KvTensors all = cache.gather(sequence);
    attend(tokens_of(q.view(), t, 1), all.k.view(), all.v.view(), tokens_of(out.view(), t, 1),
           {.causal = true});
  }
  return out;
}

TEST(KvCacheAttend, TokenByTokenIsTheWholeSequence) {
  for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    const KvCacheConfig config = config_of(dtype);
    const RandomTokens tokens(config, kTokens, 1, dtype);
    const Tensor q = queries(config, dtype);
    KvCache cache(config);
    const Tensor whole = prefilled(config, tokens, q);
    // The keys have the same bits; the sums may be in another order, and products of bf16 round the
    // weights of the softmax to bf16 (docs/decisions/0011-attention.md).
    EXPECT_LE(testing::worst(decoded(tokens, q, cache, 0), whole),
              dtype == DType::bf16 ? 0x1p-7 : testing::kAttention)
        << name(dtype);
    // In one call they are the same numbers.
    const KvTensors all = cache.gather(0);
    EXPECT_EQ(attended(q, all.k, all.v, {.causal = true}).bytes, whole.bytes) << name(dtype);
  }
}

TEST(KvCacheAttend, SequencesDoNotMeet) {
  const KvCacheConfig config = config_of(DType::f32);
  KvCache cache(config), alone(config);
  const Tensor q = queries(config, DType::f32);
  const RandomTokens first(config, kTokens, 5), second(config, kTokens, 6);
  for (int64_t t = 0; t < kTokens; ++t) {
    cache.append(3, positions_from(t), first.some(t, 1));
    cache.append(-8, positions_from(t + 100), second.some(t, 1));
  }
  EXPECT_EQ(decoded(first, q, alone, 3).bytes.size(), 4U * kTokens * kHeads * 16);
  EXPECT_EQ(cache.gather(3).k.bytes, alone.gather(3).k.bytes);
  EXPECT_EQ(cache.gather(3).v.bytes, alone.gather(3).v.bytes);
  EXPECT_EQ(cache.length(-8), 137);
}

// 8 bits: keys off by 1/254 of their largest number each, so that scores and values are, too.
TEST(KvCacheAttend, EightBits) {
  const RandomTokens tokens(config_of(DType::f32), kTokens);
  const Tensor q = queries(config_of(DType::f32), DType::f32);
  const Tensor whole = prefilled(config_of(DType::f32), tokens, q);
  const KvCacheConfig config = config_of(DType::i8);
  KvCache cache(config);
  EXPECT_LE(testing::rms(decoded(tokens, q, cache, 0), whole), 0.015);
}

// Of the last `count` queries, read from the pages.
Tensor paged(const KvCache& cache, const Tensor& q, int64_t count,
             const AttentionOptions& options) {
  Tensor out = make_tensor(DType::f32, {1, count, kHeads, 16});
  attend(tokens_of(q.view(), kTokens - count, count), cache, 0, out.view(), options);
  return out;
}

Tensor gathered(const KvCache& cache, const Tensor& q, int64_t count,
                const AttentionOptions& options) {
  const KvTensors all = cache.gather(0);
  Tensor out = make_tensor(DType::f32, {1, count, kHeads, 16});
  attend(tokens_of(q.view(), kTokens - count, count), all.k.view(), all.v.view(), out.view(),
         options);
  return out;
}

TEST(KvCacheAttend, PagesHaveTheBitsOfACopy) {
  const std::vector<uint8_t> there = [] {
    std::vector<uint8_t> list(kTokens, 1);
    list[3] = list[20] = 0;
    return list;
  }();
  AttentionOptions masked{.causal = true, .window_left = 30};
  masked.key_mask = make_view(static_cast<const void*>(there.data()), DType::u8, {1, kTokens});
  for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    const KvCacheConfig config = config_of(dtype);
    const Tensor q = queries(config, dtype);
    KvCache cache(config);
    cache.append(0, positions_from(0), RandomTokens(config, kTokens, 1, dtype).all());
    cache.evict(0, {9, 12});
    cache.append(0, positions_from(kTokens - 3), RandomTokens(config, 3, 2, dtype).all());
    for (int64_t count : {1, 5}) {
      for (const AttentionOptions& options : {AttentionOptions{.causal = true}, masked}) {
        EXPECT_EQ(paged(cache, q, count, options).bytes, gathered(cache, q, count, options).bytes)
            << name(dtype) << ", " << count;
      }
    }
  }
}

// The scales are taken out of the sums.
TEST(KvCacheAttend, PagesOfEightBitsAreWhatTheyStandFor) {
  KvCacheConfig config = config_of(DType::i8);
  const RandomTokens tokens(config_of(DType::f32), kTokens);
  const Tensor q = queries(config_of(DType::f32), DType::f32);
  const AttentionOptions options{.causal = true};
  for (int64_t page_size : {8, 64}) {
    config.page_size = page_size;
    KvCache cache(config);
    cache.append(0, positions_from(0), tokens.all());
    for (int64_t count : {1, 4}) {
      const Tensor want = gathered(cache, q, count, options);
      EXPECT_LE(testing::worst(paged(cache, q, count, options), want), testing::kAttention);
    }
  }
}

TEST(KvCacheAttend, RefusesWhatACacheHasAlready) {
  KvCache cache(config_of(DType::f32));
  cache.append(0, positions_from(0), RandomTokens(cache.config(), 2).all());
  const Tensor q = queries(cache.config(), DType::f32);
  const RopeRows rows;
  EXPECT_THROW(paged(cache, q, 1, {.rotation = {.q_rows = &rows}}), Error);
  const std::vector<int64_t> starts = {0, 2};
  EXPECT_THROW(paged(cache, q, 1, {.query_starts = starts, .key_starts = starts}), Error);
  KvCacheConfig latent = config_of(DType::f32);
  latent.v_dim = 0;
  EXPECT_THROW(paged(KvCache(latent), q, 1, {}), Error);
}

// What attention sees of a shift is nothing, where query and keys move together.
TEST(KvCacheAttend, AShiftOfAllIsNotSeen) {
  const KvCacheConfig config = config_of(DType::f32);
  const RandomTokens tokens(config, kTokens);
  Tensor q = queries(config, DType::f32);
  KvCache cache(config);
  cache.append(0, positions_from(0), tokens.all());
  const KvTensors before = cache.gather(0);
  const Tensor first = attended(q, before.k, before.v, {.causal = true});
  cache.shift(0, {0, kTokens}, 100000);
  q = testing::random_tensor({1, kTokens, kHeads, 32}, 77);
  apply_rope(*config.spectrum, config.layout, positions_from(100000), in_place(q.view()));
  const KvTensors after = cache.gather(0);
  EXPECT_LE(testing::worst(attended(q, after.k, after.v, {.causal = true}), first),
            8 * testing::kAttention);
}

}  // namespace
}  // namespace ropewalk
