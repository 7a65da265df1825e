// Queries on a sequence of a cache, beside rotation, copy and attention in three calls.
#include "ropewalk/attention/attend_cached.h"

#include <gtest/gtest.h>

#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/attention/kv_cache_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::attended;
using testing::floats;
using testing::RandomTokens;

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

// attend_cached into a new tensor [tokens, kHeads, width], of queries that are not rotated.
Tensor attend_queries(const KvCache& cache, const Tensor& q, int64_t width,
                      const AttentionOptions& options, std::optional<PositionIds> positions = {}) {
  Tensor out = make_tensor(DType::f32, {q.shape[0], kHeads, width});
  attend_cached(cache, 0, {q.view(), positions}, out.view(), options);
  return out;
}

// The same queries [1, tokens, kHeads, 32], rotated where they are.
Tensor turned(const KvCacheConfig& config, Tensor q, const PositionIds& positions) {
  q.shape = {1, q.shape[0], kHeads, 32};
  apply_rope(*config.spectrum, config.layout, positions, in_place(q.view()));
  return q;
}

TEST(AttendCached, InOneCallAreTheBitsOfThree) {
  constexpr int64_t kFirst = 100, kQueries = 5;
  for (DType dtype : {DType::f32, DType::bf16, DType::i8}) {
    const KvCacheConfig config = config_of(dtype);
    const RandomTokens tokens(config, kTokens);
    KvCache cache(config);
    cache.append(0, positions_from(kFirst), tokens.all());
    const KvTensors all = cache.gather(0);
    const Tensor q = testing::random_tensor({kQueries, kHeads, 32}, 9, DType::bf16);
    const PositionIds last = positions_from(kFirst + kTokens - kQueries);
    const AttentionOptions options{.causal = true, .window_left = 20};
    const Tensor expected = attended(turned(config, q, last), all.k, all.v, options);
    EXPECT_EQ(attend_queries(cache, q, 16, options).bytes, expected.bytes) << name(dtype);
    EXPECT_EQ(attend_queries(cache, q, 16, options, last).bytes, expected.bytes) << name(dtype);
    const RopeRows rows = make_rope_rows(*config.spectrum, last, 1, kQueries);
    Tensor out = make_tensor(DType::f32, {kQueries, kHeads, 16});
    attend_cached(cache, 0, {q.view(), {}, &rows}, out.view(), options);
    EXPECT_EQ(out.bytes, expected.bytes) << name(dtype);
  }
}

// Of tokens 0..36 ten are gone: a window of 15 positions from query p sees what is left of p-15..p,
// here said by a mask.
TEST(AttendCached, WindowsCountPositionsAndNotCells) {
  const KvCacheConfig config = config_of(DType::f32);
  const RandomTokens tokens(config, kTokens);
  KvCache cache = testing::filled(config, tokens);
  cache.remove(0, {20, 30});
  const std::vector<int64_t> at = {3, 31, 36};
  const Tensor q = testing::random_tensor({3, kHeads, 32}, 9);
  const PositionIds positions = testing::positions_view(at, {3});
  const std::vector<int64_t> cells = testing::positions_of_sequence(cache);
  Tensor mask = make_tensor(DType::u8, {1, 1, 3, std::ssize(cells)});
  for (size_t i = 0; i < at.size(); ++i) {
    for (size_t j = 0; j < cells.size(); ++j) {
      const bool seen = cells[j] <= at[i] && cells[j] >= at[i] - 15;
      mask.bytes[i * cells.size() + j] = std::byte{seen};
    }
  }
  const KvTensors all = cache.gather(0);
  const Tensor expected =
      attended(turned(config, q, positions), all.k, all.v, {.mask = std::as_const(mask).view()});
  const Tensor ours = attend_queries(cache, q, 16, {.causal = true, .window_left = 15}, positions);
  EXPECT_LE(testing::worst(ours, expected), testing::kAttention);
}

TEST(AttendCached, WithoutValuesTheyAreChannelsOfTheKeys) {
  KvCacheConfig config = config_of(DType::f32);
  config.v_dim = 0;
  const RandomTokens tokens(config, kTokens);
  const KvCache cache = testing::filled(config, tokens);
  const Tensor q = testing::random_tensor({kTokens, kHeads, 32}, 9);
  const Tensor k = cache.gather(0).k;
  const Tensor whole = attended(turned(config, q, positions_from(0)), k, k, {.causal = true});
  Tensor first = attend_queries(cache, q, 32, {.causal = true});
  EXPECT_EQ(first.bytes, whole.bytes);
  first = attend_queries(cache, q, 8, {.causal = true});
  const auto some = floats(first), all = floats(whole);
  for (size_t i = 0; i < some.size(); ++i) EXPECT_NEAR(some[i], all[i / 8 * 32 + i % 8], 1e-6);
}

TEST(AttendCached, RefusesWhatDoesNotFit) {
  const KvCacheConfig config = config_of(DType::f32);
  const RandomTokens tokens(config, 4);
  const KvCache cache = testing::filled(config, tokens);
  const auto invalid = ErrorCode::invalid_argument;
  const Tensor q = testing::random_tensor({5, kHeads, 32}, 9);
  EXPECT_ROPEWALK_ERROR(attend_queries(cache, q, 16, {}), invalid,
                        "q: expected at most the 4 tokens of the sequence without positions");
  const Tensor narrow = testing::random_tensor({1, kHeads, 16}, 9);
  EXPECT_ROPEWALK_ERROR(attend_queries(cache, narrow, 16, {}), invalid,
                        "q: expected [tokens, heads, 32], found [1, 6, 16]");
  const Tensor one = testing::random_tensor({1, kHeads, 32}, 9);
  EXPECT_ROPEWALK_ERROR(attend_queries(cache, one, 8, {}), invalid, "out: expected shape");
  Tensor out = make_tensor(DType::f32, {1, kHeads, 16});
  EXPECT_ROPEWALK_ERROR(attend_cached(cache, 7, {one.view()}, out.view()), invalid, "sequence 7");
}

}  // namespace
}  // namespace ropewalk
