// What attention must do whatever the numbers are. Sizes are drawn at random; tensors from a seed.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using testing::attended;
using testing::floats;
using testing::numbers;
using testing::random_tensor;
using testing::reordered;
using testing::tokens_of;

struct Drawn {
  int64_t batch = *rc::gen::inRange<int64_t>(1, 4), length = *rc::gen::inRange<int64_t>(1, 90),
          kv_heads = *rc::gen::inRange<int64_t>(1, 4), group = *rc::gen::inRange<int64_t>(1, 4),
          dim = 2 * *rc::gen::inRange<int64_t>(1, 20);
  uint64_t seed = *rc::gen::inRange<uint64_t>(0, 1000);
  Tensor q = random_tensor({batch, length, kv_heads*group, dim}, seed),
         k = random_tensor({batch, length, kv_heads, dim}, seed + 1000),
         v = random_tensor({batch, length, kv_heads, dim}, seed + 2000);
};

double largest_difference(const Tensor& a, const Tensor& b) {
  const auto x = floats(a), y = floats(b);
  double largest = x.size() == y.size() ? 0 : 1e9;
  for (size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(x[i]) - y[i]));
  }
  return largest;
}

std::vector<int64_t> run_of(int64_t first, int64_t count) {
  std::vector<int64_t> numbers_from(static_cast<size_t>(count));
  std::iota(numbers_from.begin(), numbers_from.end(), first);
  return numbers_from;
}

std::vector<int64_t> shuffled(int64_t count) {
  std::vector<int64_t> order = run_of(0, count);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[*rc::gen::inRange<size_t>(0, i)]);
  }
  return order;
}

// q and k rotated by the position of each token, half_split, theta 10000.
Tensor rotated(Tensor x, const std::vector<int64_t>& positions) {
  const int64_t dim = x.shape[3];
  const RotaryLayout layout{dim, {{0, dim, Pairing::half_split}}};
  const Spectrum spectrum = make_spectrum({.rotary_dim = dim, .layout = layout});
  apply_rope(spectrum, layout,
             positions_of(make_view(static_cast<const void*>(positions.data()), DType::i64,
                                    {static_cast<int64_t>(positions.size())})),
             in_place(x.view()));
  return x;
}

ROPEWALK_PROPERTY(AttendProperty, WithoutPositionsASequenceIsABag, [] {
  // 他欠我100萬 and 我欠他100萬: each token gets the same vector in both.
  const Drawn d;
  const auto order = shuffled(d.length);
  const Tensor permuted_out =
      attended(reordered(d.q, order), reordered(d.k, order), reordered(d.v, order));
  RC_ASSERT(largest_difference(permuted_out, reordered(attended(d.q, d.k, d.v), order)) < 1e-5);
});

ROPEWALK_PROPERTY(AttendProperty, TokensMoveTogetherWithTheirPositions, [] {
  const Drawn d;
  const auto order = shuffled(d.length), positions = run_of(100, d.length);
  std::vector<int64_t> moved;
  for (int64_t from : order) moved.push_back(100 + from);
  const Tensor out = attended(rotated(d.q, positions), rotated(d.k, positions), d.v);
  const Tensor permuted_out =
      attended(rotated(reordered(d.q, order), moved), rotated(reordered(d.k, order), moved),
               reordered(d.v, order));
  RC_ASSERT(largest_difference(permuted_out, reordered(out, order)) < 1e-5);
});

ROPEWALK_PROPERTY(AttendProperty, RopeSeesOnlyDistances, [] {
  const Drawn d;
  const auto shift = *rc::gen::inRange<int64_t>(-1000000, 1000000);
  const auto here = run_of(0, d.length), there = run_of(shift, d.length);
  const Tensor a = attended(rotated(d.q, here), rotated(d.k, here), d.v, {.causal = true});
  const Tensor b = attended(rotated(d.q, there), rotated(d.k, there), d.v, {.causal = true});
  RC_ASSERT(largest_difference(a, b) < 1e-5);
});

ROPEWALK_PROPERTY(AttendProperty, GroupedHeadsAreRepeatedHeads, [] {
  const Drawn d;
  const auto repeat = [&](const Tensor& x) {
    Tensor wide = make_tensor(DType::f32, {d.batch, d.length, d.kv_heads * d.group, d.dim});
    const auto from = floats(x);
    auto to = numbers(wide);
    for (size_t i = 0; i < to.size(); ++i) {
      const auto dim = static_cast<size_t>(d.dim), group = static_cast<size_t>(d.group);
      to[i] = from[i / dim / group * dim + i % dim];
    }
    return wide;
  };
  RC_ASSERT(attended(d.q, d.k, d.v, {.causal = true}).bytes ==
            attended(d.q, repeat(d.k), repeat(d.v), {.causal = true}).bytes);
});

ROPEWALK_PROPERTY(AttendProperty, BatchThreadsAndPoolsChangeNoBit, [] {
  const Drawn d;
  const Tensor all = attended(d.q, d.k, d.v, {.causal = true, .parallel = {.threads = 1}});
  RC_ASSERT(attended(d.q, d.k, d.v, {.causal = true, .parallel = {.threads = 4}}).bytes ==
            all.bytes);
  const auto backwards = [](int64_t count, const std::function<void(int64_t)>& task) {
    for (int64_t i = count; i > 0; --i) task(i - 1);
  };
  RC_ASSERT(attended(d.q, d.k, d.v, {.causal = true, .parallel = {.run = backwards}}).bytes ==
            all.bytes);
  const auto one = [&](const Tensor& x) {  // the last sequence alone
    const size_t size = x.bytes.size() / static_cast<size_t>(d.batch);
    return Tensor{x.dtype,
                  {1, x.shape[1], x.shape[2], x.shape[3]},
                  {x.bytes.end() - static_cast<std::ptrdiff_t>(size), x.bytes.end()}};
  };
  RC_ASSERT(attended(one(d.q), one(d.k), one(d.v), {.causal = true}).bytes == one(all).bytes);
});

ROPEWALK_PROPERTY(AttendProperty, DecodingIsTheLastRowOfTheWhole, [] {
  const Drawn d;
  const auto slopes = alibi_slopes({.heads = d.kv_heads * d.group});
  const AttentionOptions options{.causal = true, .alibi_slopes = slopes};
  const Tensor whole = attended(d.q, d.k, d.v, options);
  const auto last = *rc::gen::inRange<int64_t>(1, d.length + 1);
  Tensor out = make_tensor(DType::f32, {d.batch, last, d.q.shape[2], d.dim});
  attend(tokens_of(d.q.view(), d.length - last, last), d.k.view(), d.v.view(), out.view(), options);
  const auto found = floats(out), want = floats(tokens_of(whole.view(), d.length - last, last));
  // One query reads its keys where they lie, and adds in another order.
  for (size_t i = 0; last == 1 && i < want.size(); ++i) {
    RC_ASSERT(std::abs(found[i] - want[i]) < 1e-5f);
  }
  RC_ASSERT(last == 1 || found == want);
});

ROPEWALK_PROPERTY(AttendProperty, APaddingMaskIsTheSequenceWithoutItsPadding, [] {
  const Drawn d;
  const auto positions = shuffled(d.length);  // any, as long as tokens keep theirs
  const Tensor q = rotated(d.q, positions), k = rotated(d.k, positions);
  Tensor mask = make_tensor(DType::boolean, {d.batch, d.length});
  std::vector<int64_t> kept;
  for (int64_t j = 0; j < d.length; ++j) {
    const bool keep = *rc::gen::arbitrary<bool>();
    if (keep) kept.push_back(j);
    for (int64_t b = 0; b < d.batch; ++b) {
      mask.bytes[static_cast<size_t>(b * d.length + j)] = std::byte{keep};
    }
  }
  const bool causal = *rc::gen::arbitrary<bool>();
  const Tensor padded =
      attended(q, k, d.v, {.causal = causal, .key_mask = std::as_const(mask).view()});
  const Tensor without =
      attended(reordered(q, kept), reordered(k, kept), reordered(d.v, kept), {.causal = causal});
  RC_ASSERT(reordered(padded, kept).bytes == without.bytes);
});

ROPEWALK_PROPERTY(AttendProperty, AlibiSeesOnlyDistances, [] {
  // Padding on the left moves every token, and changes no bit.
  const Drawn d;
  const auto slopes = alibi_slopes({.heads = d.kv_heads * d.group});
  const auto padding = *rc::gen::inRange<int64_t>(0, 50);
  std::vector<int64_t> order(static_cast<size_t>(padding), 0);
  for (int64_t j = 0; j < d.length; ++j) order.push_back(j);
  Tensor mask = make_tensor(DType::u8, {d.batch, padding + d.length});
  for (size_t i = 0; i < mask.bytes.size(); ++i) {
    mask.bytes[i] = std::byte{static_cast<int64_t>(i) % (padding + d.length) >= padding};
  }
  const Tensor moved =
      attended(reordered(d.q, order), reordered(d.k, order), reordered(d.v, order),
               {.causal = true, .alibi_slopes = slopes, .key_mask = std::as_const(mask).view()});
  const Tensor here = attended(d.q, d.k, d.v, {.causal = true, .alibi_slopes = slopes});
  RC_ASSERT(floats(tokens_of(moved.view(), padding, d.length)) == floats(here));
});

}  // namespace
}  // namespace ropewalk
