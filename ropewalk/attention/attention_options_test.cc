// Everything that the options say, drawn at random, beside the definition in float64, on every
// instruction set of the machine.
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/attention/exact_attention_testing.h"
#include "ropewalk/base/random.h"
#include "ropewalk/kernels/simd/targets.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::ExactAttention;
using testing::floats;
using testing::random_tensor;

// Scores' errors of (D + 2) roundings of a sum of size 3 to 10 move the weights by as much.
constexpr double kTolerance = 128 * 0x1p-24;
// bf16 products: weights are rounded to bf16, each by 2^-9 at most, and their mean with them.
constexpr double kToleranceBf16 = 0x1p-7;

// Small numbers out of a seed, one after the other.
struct Draw {
  uint64_t seed;
  uint64_t used = 0;

  int64_t below(int64_t count) {
    const float normal = normal_at(seed, used++);
    return static_cast<int64_t>(std::abs(normal) * 100003) % count;
  }
  bool maybe() { return below(3) == 0; }
};

// A call and all that its spans show.
struct Drawn {
  Tensor q, k, v, key_mask, mask;
  std::vector<int64_t> prefix, query_tokens, key_tokens, lengths;
  std::vector<float> sinks, slopes, distance_bias;
  AttentionOptions options;

  explicit Drawn(uint64_t seed, DType dtype) {
    Draw draw{seed};
    const int64_t batch = 1 + draw.below(2), kv_heads = 1 + draw.below(2),
                  heads = kv_heads * (1 + draw.below(4)), dim = 1 + draw.below(40),
                  width = 1 + draw.below(70), keys = 1 + draw.below(300),
                  queries = draw.maybe() ? 1 + draw.below(3) : 1 + draw.below(90);
    q = random_tensor({batch, queries, heads, dim}, seed, dtype);
    k = random_tensor({batch, keys, kv_heads, dim}, seed + 1, dtype);
    v = random_tensor({batch, keys, kv_heads, width}, seed + 2, dtype);
    what_is_seen(draw, batch, queries, keys);
    what_is_added(draw, heads, queries, keys, batch);
  }

  void what_is_seen(Draw& draw, int64_t batch, int64_t queries, int64_t keys) {
    options.causal = draw.below(2) == 0;
    if (draw.maybe()) options.window_left = draw.below(keys);
    if (draw.maybe()) options.window_right = draw.below(keys);
    if (draw.maybe()) prefix.assign(1, draw.below(keys));
    if (draw.maybe()) options.first_query = draw.below(keys) - 3;
    if (draw.maybe()) {
      key_mask = make_tensor(DType::u8, {batch, keys});
      for (std::byte& one : key_mask.bytes) one = std::byte{draw.below(4) != 0};
      options.key_mask = std::as_const(key_mask).view();
    }
    if (draw.maybe()) {
      for (int64_t b = 0; b < batch; ++b) lengths.push_back(draw.below(keys + 1));
    }
    if (draw.maybe()) {
      for (int64_t j = 0; j < keys; ++j) key_tokens.push_back(draw.below(3 * keys) * keys + j);
      for (int64_t i = 0; i < queries; ++i) query_tokens.push_back(draw.below(3 * keys) * keys);
      options.first_query.reset();
    }
    options.prefix = prefix;
    options.key_lengths = lengths;
    options.key_tokens = key_tokens;
    options.query_tokens = query_tokens;
  }

  void what_is_added(Draw& draw, int64_t heads, int64_t queries, int64_t keys, int64_t batch) {
    if (draw.maybe()) options.scale = draw.maybe() ? -0.3 : 0.4;
    if (draw.maybe()) options.softcap = 3;
    for (int64_t h = 0; h < heads; ++h) {
      sinks.push_back(static_cast<float>(h) - 1);
      slopes.push_back(std::exp2(-static_cast<float>(h) - 4) * (key_tokens.empty() ? 1 : 0.001f));
    }
    if (draw.maybe()) options.sinks = sinks;
    if (draw.maybe()) {
      options.alibi_slopes = slopes;
      options.alibi_form = std::vector{AlibiForm::relative, AlibiForm::symmetric,
                                       AlibiForm::key_position}[static_cast<size_t>(draw.below(3))];
    }
    if (draw.maybe()) {
      options.bias_reach = draw.below(20);
      for (int64_t i = 0; i < heads * (2 * options.bias_reach + 1); ++i) {
        distance_bias.push_back(normal_at(77, static_cast<uint64_t>(i)));
      }
      options.distance_bias = distance_bias;
    }
    if (draw.maybe()) {
      const bool added = draw.below(2) == 0;
      mask = make_tensor(added ? DType::f32 : DType::boolean,
                         {draw.maybe() ? 1 : batch, draw.maybe() ? 1 : heads, queries, keys});
      for (int64_t i = 0; i < num_elements(mask.shape); ++i) {
        const bool hidden = draw.below(4) == 0;
        const auto at = static_cast<size_t>(i);
        if (!added) mask.bytes[at] = std::byte{!hidden};
        const float value = hidden ? -std::numeric_limits<float>::infinity()
                                   : normal_at(78, static_cast<uint64_t>(i));
        if (added) std::memcpy(mask.bytes.data() + 4 * at, &value, 4);
      }
      options.mask = std::as_const(mask).view();
    }
  }
};

void expect_exact(const Drawn& d, const ExactAttention::Result& exact, double tolerance) {
  Tensor out = make_tensor(DType::f32, {d.q.shape[0], d.q.shape[1], d.q.shape[2], d.v.shape[3]}),
         lse = make_tensor(DType::f32, {d.q.shape[0], d.q.shape[2], d.q.shape[1]});
  AttentionOptions options = d.options;
  options.lse = lse.view();
  options.parallel.threads = 1;
  attend(d.q.view(), d.k.view(), d.v.view(), out.view(), options);
  const auto found = floats(out), found_lse = floats(lse);
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], exact.out[i], tolerance) << i;
  for (size_t i = 0; i < found_lse.size(); ++i) {
    if (std::isinf(exact.lse[i])) {
      ASSERT_EQ(found_lse[i], exact.lse[i]) << i;
    } else {
      ASSERT_NEAR(found_lse[i], exact.lse[i], tolerance + std::abs(exact.lse[i]) * 0x1p-22) << i;
    }
  }
}

TEST(AttentionOptions, EveryOneIsObeyedOnEveryInstructionSet) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const DType dtype = seed % 3 == 0 ? DType::bf16 : seed % 7 == 0 ? DType::f16 : DType::f32;
    const Drawn d(1000 * seed, dtype);
    const auto exact = ExactAttention{d.q, d.k, d.options}.run(d.v);
    for (const std::string& target : available_targets()) {
      SCOPED_TRACE(target + ", seed " + std::to_string(seed));
      ASSERT_TRUE(cap_target(target));
      expect_exact(d, exact,
                   dtype == DType::bf16 && bf16_conversion_allowed() ? kToleranceBf16 : kTolerance);
      if (HasFatalFailure()) break;
    }
    cap_target("");
    if (HasFatalFailure()) return;
  }
}

// One query of whole vectors of bf16, whose keys are met in pairs: any number of them, and what
// lies behind the last one, or is hidden by lengths, does not leak.
TEST(AttentionOptions, OneQueryOfBf16MeetsAnyNumberOfKeys) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (int64_t keys : {1, 2, 3, 31, 32, 33, 127, 128, 129, 300}) {
    SCOPED_TRACE(keys);
    Drawn d(1, DType::bf16);
    d.options = {};
    d.q = testing::random_tensor({2, 1, 6, 64}, 1, DType::bf16);
    d.k = testing::random_tensor({2, keys + 1, 2, 64}, 2, DType::bf16);
    d.v = testing::random_tensor({2, keys + 1, 2, 96}, 3, DType::bf16);
    const std::vector<int64_t> lengths = {keys, keys};
    d.options.key_lengths = lengths;
    const auto exact = ExactAttention{d.q, d.k, d.options}.run(d.v);
    expect_exact(d, exact, bf16_conversion_allowed() ? kToleranceBf16 : kTolerance);
    if (HasFatalFailure()) return;
    const Tensor before = testing::attended(d.q, d.k, d.v, d.options);
    const Tensor bad = converted(testing::tensor_of({1}, {infinity}).view(), DType::bf16);
    constexpr std::ptrdiff_t kRow = 384;  // bytes of two heads of 96 channels
    const auto hidden = d.v.bytes.begin() + keys * kRow;
    for (std::ptrdiff_t i = 0; i < kRow; i += 2) {
      std::copy(bad.bytes.begin(), bad.bytes.end(), hidden + i);
    }
    EXPECT_EQ(testing::attended(d.q, d.k, d.v, d.options).bytes, before.bytes);
    std::copy(bad.bytes.begin(), bad.bytes.end(), hidden - kRow);
    EXPECT_EQ(floats(testing::attended(d.q, d.k, d.v, d.options))[0], infinity);
  }
}

}  // namespace
}  // namespace ropewalk
