// Two ways to say one thing give the same bits; what is hidden does not leak.
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/kernels/simd/targets.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using testing::attended;
using testing::floats;
using testing::random_tensor;
using testing::reordered;
using testing::tokens_of;

const DType kTypes[] = {DType::f32, DType::bf16, DType::f16};

// q, k and v of one type.
struct Three {
  Tensor q, k, v;
  Three(DType dtype, int64_t batch, int64_t queries, int64_t keys)
      : q(random_tensor({batch, queries, 4, 24}, 1, dtype)),
        k(random_tensor({batch, keys, 2, 24}, 2, dtype)),
        v(random_tensor({batch, keys, 2, 20}, 3, dtype)) {}
};

TEST(AttentionWays, NanAndInfinityOfAHiddenKeyStayThere) {
  for (const std::string& target : available_targets()) {
    ASSERT_TRUE(cap_target(target));
    for (DType dtype : kTypes) {
      SCOPED_TRACE(target + " " + std::string(name(dtype)));
      Three t(dtype, 1, 150, 150);
      const Tensor clean = attended(t.q, t.k, t.v, {.causal = true});
      const auto spoil = [&](Tensor& x, float value) {  // tokens 71 and 140
        const Tensor bad = converted(testing::tensor_of({1}, {value}).view(), dtype);
        const size_t size = bad.bytes.size(), row = x.bytes.size() / 150;
        for (size_t at = 0; at < row; at += size) {
          for (size_t token : {71, 140}) {
            std::copy(bad.bytes.begin(), bad.bytes.end(),
                      x.bytes.begin() + static_cast<std::ptrdiff_t>(token * row + at));
          }
        }
      };
      spoil(t.k, std::numeric_limits<float>::quiet_NaN());
      spoil(t.v, std::numeric_limits<float>::infinity());
      const auto found = floats(attended(t.q, t.k, t.v, {.causal = true})), want = floats(clean);
      for (size_t i = 0; i < found.size(); ++i) {
        if (i / 80 < 71) {
          ASSERT_EQ(found[i], want[i]) << i;
        } else {
          ASSERT_TRUE(std::isnan(found[i])) << i;
        }
      }
    }
  }
  cap_target("");
}

TEST(AttentionWays, PackedSequencesAreSequences) {
  const std::vector<int64_t> query_starts = {0, 40, 40, 41, 190}, key_starts = {0, 40, 45, 45, 200};
  for (DType dtype : kTypes) {
    const Three t(dtype, 1, 190, 200);
    const auto flat = [](const auto& view) {
      auto result = view;
      result.shape = {view.shape[1], view.shape[2], view.shape[3]};
      result.strides = {view.strides[1], view.strides[2], view.strides[3]};
      return result;
    };
    Tensor out = make_tensor(DType::f32, {1, 190, 4, 20}), lse = make_tensor(DType::f32, {4, 190});
    attend(flat(t.q.view()), flat(t.k.view()), flat(t.v.view()), flat(out.view()),
           {.tensor_layout = TensorLayout::thd,
            .query_starts = query_starts,
            .key_starts = key_starts,
            .causal = true,
            .window_left = 60,
            .lse = lse.view()});
    for (size_t s = 0; s + 1 < query_starts.size(); ++s) {
      const int64_t q0 = query_starts[s], queries = query_starts[s + 1] - q0, k0 = key_starts[s],
                    keys = key_starts[s + 1] - k0;
      Tensor one = make_tensor(DType::f32, {1, queries, 4, 20});
      attend(tokens_of(t.q.view(), q0, queries), tokens_of(t.k.view(), k0, keys),
             tokens_of(t.v.view(), k0, keys), one.view(), {.causal = true, .window_left = 60});
      EXPECT_EQ(floats(tokens_of(std::as_const(out).view(), q0, queries)), floats(one)) << s;
    }
  }
}

struct Turned {
  RotaryLayout layout{24, {{4, 12, Pairing::half_split}, {16, 8, Pairing::interleaved}}};
  Spectrum spectrum;
  RopeRows q_rows, k_rows;
  std::vector<int64_t> q_at, k_at;

  Turned(int64_t queries, int64_t keys) : q_at(size(queries)), k_at(size(keys)) {
    const std::vector<double> inv_freq = {1, .5, .3, .1, .05, .02, .7, .2, .01, .003};
    spectrum = spectrum_from_inv_freq(inv_freq);
    std::iota(q_at.begin(), q_at.end(), 1000);
    std::iota(k_at.begin(), k_at.end(), 990);
    q_rows = make_rope_rows(spectrum, ids(q_at), 1, queries);
    k_rows = make_rope_rows(spectrum, ids(k_at), 1, keys);
  }
  static size_t size(int64_t n) { return static_cast<size_t>(n); }
  static PositionIds ids(const std::vector<int64_t>& at) {
    return positions_of(make_view(static_cast<const void*>(at.data()), DType::i64,
                                  {static_cast<int64_t>(at.size())}));
  }
};

TEST(AttentionWays, RotatingOnTheWayInIsRotatingFirst) {
  const Turned turned(70, 150);
  Tensor mask = make_tensor(DType::boolean, {2, 150});
  for (size_t i = 0; i < mask.bytes.size(); ++i) mask.bytes[i] = std::byte{i % 7 != 2};
  for (DType dtype : kTypes) {
    for (bool masked : {false, true}) {
      const Three raw(dtype, 2, 70, 150);
      Three t = raw;
      apply_rope(turned.q_rows, turned.layout, in_place(t.q.view()));
      apply_rope(turned.k_rows, turned.layout, in_place(t.k.view()));
      AttentionOptions options{.causal = true};
      if (masked) options.key_mask = std::as_const(mask).view();
      const Tensor want = attended(t.q, t.k, t.v, options);
      options.rotation = {&turned.q_rows, &turned.k_rows, turned.layout};
      EXPECT_EQ(attended(raw.q, raw.k, raw.v, options).bytes, want.bytes) << name(dtype) << masked;
    }
  }
}

TEST(AttentionWays, KeysInAnyOrderAreKeysInOrder) {
  const Three t(DType::f32, 2, 80, 200);
  std::vector<int64_t> order(200), tokens(80);
  for (int64_t j = 0; j < 200; ++j) order[static_cast<size_t>(j)] = j * 37 % 200;
  std::iota(tokens.begin(), tokens.end(), 120);
  const Tensor want = attended(t.q, t.k, t.v, {.causal = true, .window_left = 90});
  EXPECT_EQ(
      attended(t.q, reordered(t.k, order), reordered(t.v, order),
               {.query_tokens = tokens, .key_tokens = order, .causal = true, .window_left = 90})
          .bytes,
      want.bytes);
  EXPECT_EQ(attended(t.q, t.k, t.v, {.first_query = 120, .causal = true, .window_left = 90}).bytes,
            want.bytes);
}

// Prefill in chunks, each with the keys so far or with all.
TEST(AttentionWays, ChunksOfQueriesAreRowsOfTheWhole) {
  const Three t(DType::f32, 2, 200, 200);
  const Tensor whole = attended(t.q, t.k, t.v, {.causal = true});
  for (int64_t first : {0, 50, 130}) {
    const int64_t count = 70;
    Tensor out = make_tensor(DType::f32, {2, count, 4, 20});
    attend(tokens_of(t.q.view(), first, count), t.k.view(), t.v.view(), out.view(),
           {.first_query = first, .causal = true});
    EXPECT_EQ(floats(out), floats(tokens_of(std::as_const(whole).view(), first, count)));
    attend(tokens_of(t.q.view(), first, count), tokens_of(t.k.view(), 0, first + count),
           tokens_of(t.v.view(), 0, first + count), out.view(), {.causal = true});
    EXPECT_EQ(floats(out), floats(tokens_of(std::as_const(whole).view(), first, count)));
  }
}

TEST(AttentionWays, PaddingBehindChangesNoBit) {
  const Three t(DType::f32, 2, 200, 200);
  const std::vector<int64_t> lengths = {200, 140};
  const Tensor out = attended(t.q, t.k, t.v, {.causal = true, .key_lengths = lengths});
  const auto whole = floats(attended(t.q, t.k, t.v, {.causal = true})), found = floats(out);
  const size_t row = 4 * 20;
  EXPECT_EQ(std::vector<float>(found.begin(), found.begin() + 340 * row),
            std::vector<float>(whole.begin(), whole.begin() + 340 * row));
}

TEST(AttentionWays, WrongListsAreNamed) {
  const Three t(DType::f32, 2, 3, 5);
  Tensor out = make_tensor(DType::f32, {2, 3, 4, 20});
  const auto refused = [&](const AttentionOptions& options, const std::string& text) {
    EXPECT_ROPEWALK_ERROR(attend(t.q.view(), t.k.view(), t.v.view(), out.view(), options),
                          ErrorCode::invalid_argument, text);
  };
  const std::vector<int64_t> three = {1, 2, 3}, starts = {0, 3}, far = {0, 0, int64_t{1} << 30};
  refused({.query_starts = starts, .key_starts = starts},
          "query_starts: expected tensor_layout thd");
  refused({.key_tokens = three}, "key_tokens: expected one for each of 5 tokens, found 3");
  refused({.query_tokens = far}, "query_tokens[2]: expected a token between -2^30 and 2^30");
  refused({.first_query = 1, .query_tokens = three}, "first_query: expected none beside");
  refused({.key_lengths = three}, "key_lengths: expected one for each of 2 sequences, found 3");
  const std::vector<int64_t> long_ones = {5, 6};
  refused({.key_lengths = long_ones}, "key_lengths[1]: expected 0..5 keys, found 6");
  const Tensor mask = make_tensor(DType::f32, {2, 4, 3, 4});
  refused({.mask = mask.view()}, "mask: expected shape [2 or 1, 4 or 1, 3, 5], found [2, 4, 3, 4]");
  Tensor lse = make_tensor(DType::f32, {2, 3, 4});
  refused({.lse = lse.view()}, "lse: expected shape [2, 4, 3]");
  const Turned turned(3, 5);
  refused({.rotation = {&turned.q_rows, nullptr, turned.layout}},
          "rotation: expected rows of q and");
  refused({.rotation = {&turned.k_rows, &turned.k_rows, turned.layout}},
          "rotation.q_rows: expected forward rows of 2 sequences of 3 tokens, found 1 of 5");
  Tensor q2 = t.q;
  EXPECT_ROPEWALK_ERROR(
      attend(q2.view(), t.k.view(), t.v.view(), out.view(),
             {.tensor_layout = TensorLayout::bshd, .query_starts = starts, .key_starts = three}),
      ErrorCode::invalid_argument, "query_starts");
}

}  // namespace
}  // namespace ropewalk
