// What a cache refuses, and that it is then as it was.
#include <limits>

#include <gtest/gtest.h>

#include "ropewalk/attention/kv_cache_testing.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using testing::filled;
using testing::positions_view;
using testing::RandomTokens;
using testing::small_config;

constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

// Runs `verb` on a cache of 6 tokens at 0..5, which it must leave as it was.
template <typename Verb>
void expect_refused(Verb verb, ErrorCode code, const std::string& text) {
  const KvCacheConfig config = small_config(DType::bf16);
  const RandomTokens tokens(config, 6);
  KvCache cache = filled(config, tokens);
  const KvCache before = cache;
  EXPECT_ROPEWALK_ERROR(verb(cache, tokens), code, text);
  EXPECT_TRUE(cache == before) << text;
}

TEST(KvCacheErrors, Ranges) {
  const auto invalid = ErrorCode::invalid_argument;
  using Range = PositionRange;
  const auto shift = [](Range range, int64_t delta) {
    return [=](KvCache& cache, const RandomTokens&) { cache.shift(0, range, delta); };
  };
  const auto remove = [](Range range) {
    return [=](KvCache& cache, const RandomTokens&) { cache.remove(0, range); };
  };
  const auto evict = [](Range range) {
    return [=](KvCache& cache, const RandomTokens&) { cache.evict(0, range); };
  };
  expect_refused(shift({4, 2}, 1), invalid,
                 "shift: expected a range 0 <= first <= end, found 4..2");
  expect_refused(remove({-1, 2}), invalid,
                 "remove: expected a range 0 <= first <= end, found -1..2");
  expect_refused(evict({0, 7}), ErrorCode::out_of_range,
                 "evict: expected a range within positions 0..6 of sequence 0, found 0..7");
  expect_refused(shift({0, kLast}, 1), ErrorCode::out_of_range, "found 0..9223372036854775807");
  expect_refused(shift({2, 5}, -3), invalid,
                 "position 2 by -3: expected 0..2^63-2 on axis 0, found -1");
  expect_refused(shift({2, 5}, kLast), invalid, "on axis 0, found 2 + 9223372036854775807");
  expect_refused(
      shift({0, 5}, kLast), invalid,
      "position 0 by 9223372036854775807: expected 0..2^63-2 on axis 0, found 9223372036854775807");
  expect_refused([](KvCache& cache, const RandomTokens&) { cache.keep_ends(0, 1, -2); }, invalid,
                 "keep_ends: expected counts of 0 or more tokens, found 1 and -2");
  expect_refused(
      [](KvCache& cache, const RandomTokens&) {
        cache.shift(0, {0, 1}, std::vector<int64_t>{1, 2, 3});
      },
      invalid, "shift: expected a delta for each of 1 position axes, found 3");
}

TEST(KvCacheErrors, SequencesThatAreNotThere) {
  const auto refuse = [](auto verb, const std::string& text) {
    expect_refused([&](KvCache& cache, const RandomTokens&) { verb(cache); },
                   ErrorCode::invalid_argument, text);
  };
  const std::string none = ": sequence 9 is not among the 1 of the cache";
  refuse([](KvCache& cache) { cache.shift(9, {0, 0}, 1); }, "shift" + none);
  refuse([](KvCache& cache) { cache.remove(9, {0, 0}); }, "remove" + none);
  refuse([](KvCache& cache) { cache.evict(9, {0, 0}); }, "evict" + none);
  refuse([](KvCache& cache) { cache.keep_ends(9, 1, 1); }, "keep_ends" + none);
  refuse([](KvCache& cache) { cache.rerotate(9, *cache.spectrum(0)); }, "rerotate" + none);
  refuse([](KvCache& cache) { cache.copy(9, 1); }, "copy" + none);
  refuse([](KvCache& cache) { cache.erase(9); }, "erase" + none);
  refuse([](KvCache& cache) { static_cast<void>(cache.gather(9)); }, "gather" + none);
  refuse([](KvCache& cache) { static_cast<void>(cache.pages(9)); }, "pages" + none);
  refuse([](KvCache& cache) { cache.copy(0, 0); },
         "copy: sequence 0 is there already, with 6 tokens");
}

TEST(KvCacheErrors, Tokens) {
  const auto invalid = ErrorCode::invalid_argument;
  const auto append = [](const PositionIds& positions, int64_t sequence, auto change) {
    return [=](KvCache& cache, const RandomTokens& tokens) {
      KvTokens some = tokens.all();
      change(some);
      cache.append(sequence, positions, some);
    };
  };
  const auto as_they_are = [](KvTokens&) {};
  const std::vector<int64_t> negative = {0, 1, 2, -3, 4, 5};
  for (int64_t sequence : {0, 1}) {  // one that is there, and a new one
    expect_refused(append(positions_view(negative, {6}), sequence, as_they_are), invalid,
                   "append: expected positions in 0..2^63-2, found -3 of token 3 on axis 0");
    expect_refused(append(positions_from(kLast - 5), sequence, as_they_are), invalid,
                   "found 9223372036854775807 of token 5");
    expect_refused(append(positions_from(kLast - 4), sequence, as_they_are), invalid,
                   "6 positions from 9223372036854775803 pass the end of int64");
    expect_refused(append(positions_view(negative, {3, 1, 2}), sequence, as_they_are), invalid,
                   "position_ids: expected");
    const RopeRows rows = make_rope_rows(*small_config().spectrum, positions_from(6), 1, 5);
    expect_refused(append(positions_from(6), sequence, [&](KvTokens& t) { t.rows = &rows; }),
                   invalid, "append: expected rows of 1 sequence, 6 tokens, 3 pairs");
  }
  expect_refused(append(positions_from(6), 0, [](KvTokens& t) { t.v.shape[0] = 5; }), invalid,
                 "append: expected v of 6 tokens as k, found 5");
  expect_refused(append(positions_from(6), 0, [](KvTokens& t) { t.k.shape[2] = 6; }), invalid,
                 "append: expected k [tokens, 2, 8], found [6, 2, 6]");
  expect_refused(append(positions_from(6), 0, [](KvTokens& t) { t.v = {}; }), invalid,
                 "append: expected v [tokens, 2, 4]");
  expect_refused(append(positions_from(6), 0, [](KvTokens& t) { t.k.dtype = DType::i8; }),
                 ErrorCode::unsupported, "append: expected k of f32, bf16 or f16, found i8");
}

TEST(KvCacheErrors, Spectra) {
  expect_refused([](KvCache& cache,
                    const RandomTokens&) { cache.rerotate(0, testing::spectrum_of(10000, 8)); },
                 ErrorCode::invalid_argument,
                 "rerotate: expected a spectrum of 3 pairs on 1 position axes, found 4 on 1");
  KvCacheConfig plain = small_config();
  plain.spectrum.reset();
  plain.layout.windows.clear();
  KvCache cache = filled(plain, RandomTokens(plain, 2));
  EXPECT_ROPEWALK_ERROR(cache.rerotate(0, *small_config().spectrum), ErrorCode::invalid_argument,
                        "rerotate: expected a cache with a spectrum, found one without");
}

TEST(KvCacheErrors, Configs) {
  const auto refuse = [](auto change, ErrorCode code, const std::string& text) {
    KvCacheConfig config = small_config();
    change(config);
    EXPECT_ROPEWALK_ERROR(KvCache cache(config), code, text);
  };
  const auto invalid = ErrorCode::invalid_argument;
  refuse([](auto& c) { c.kv_heads = 0; }, invalid, "expected kv_heads >= 1, found 0");
  refuse([](auto& c) { c.page_size = -1; }, invalid, "expected page_size >= 1, found -1");
  refuse([](auto& c) { c.v_dim = -1; }, invalid, "expected v_dim >= 0, found -1");
  refuse([](auto& c) { c.k_dtype = DType::f64; }, ErrorCode::unsupported,
         "expected k_dtype f32, bf16, f16 or i8, found f64");
  refuse([](auto& c) { c.raw_k_dtype = DType::i8; }, ErrorCode::unsupported,
         "expected raw_k_dtype f32, bf16 or f16, found i8");
  refuse([](auto& c) { c.spectrum.reset(); }, invalid, "nothing would be rotated");
  refuse([](auto& c) { c.layout.windows[0].dim = 4; }, invalid,
         "expected a spectrum of 2 pairs as the layout, found 3");
  refuse([](auto& c) { c.page_size = kLast; }, ErrorCode::resource_limit, "too large");
}

}  // namespace
}  // namespace ropewalk
