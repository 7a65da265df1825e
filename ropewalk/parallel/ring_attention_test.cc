// Attention cut among ranks is attention: every way to cut, packed or not, beside one rank's and
// float64.
#include "ropewalk/parallel/ring_attention.h"

#include <cmath>
#include <cstring>
#include <string>

#include "ropewalk/attention/exact_attention_testing.h"
#include "ropewalk/base/random.h"
#include "ropewalk/kernels/attention/attention_kernel.h"
#include "ropewalk/parallel/thread_ring_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::ExactAttention;
using testing::floats;
using testing::random_tensor;
using testing::ThreadRing;

// What attend and one merge for each rank more may be off by (docs/decisions/0011-attention.md).
constexpr double kTolerance = 0x1p-17, kToleranceBf16 = 0x1p-7;

struct Case {
  RingSequences sequences;
  Tensor q, k, v;  // streams [tokens, heads, channels]
  AttentionOptions options;
  std::vector<float> slopes = {}, sinks = {}, distance_bias = {};

  Tensor all_out() const { return make_tensor(DType::f32, {q.shape[0], q.shape[1], v.shape[2]}); }
};

template <typename View>
View rows(View view, int64_t first, int64_t count) {
  view.data = static_cast<char*>(const_cast<void*>(static_cast<const void*>(view.data))) +
              first * view.strides[0] * static_cast<int64_t>(size_in_bytes(view.dtype));
  view.shape[0] = count;
  return view;
}

Tensor taken(const Tensor& stream, const std::vector<int64_t>& which) {
  Tensor result = make_tensor(stream.dtype, {std::ssize(which), stream.shape[1], stream.shape[2]});
  const size_t row =
      static_cast<size_t>(stream.shape[1] * stream.shape[2]) * size_in_bytes(stream.dtype);
  for (size_t i = 0; i < which.size(); ++i) {
    std::memcpy(result.bytes.data() + i * row,
                stream.bytes.data() + static_cast<size_t>(which[i]) * row, row);
  }
  return result;
}

Tensor in_ring(const Case& c, ThreadRing& ring) {
  Tensor all = c.all_out();
  const size_t row = static_cast<size_t>(all.shape[1] * all.shape[2]) * 4;
  ring.run([&](const RingExchange& exchange) {
    const RingShard queries = query_shard(c.sequences, exchange.rank),
                    keys = key_shard(c.sequences, exchange.rank);
    const Tensor q = taken(c.q, queries.rows), k = taken(c.k, keys.rows), v = taken(c.v, keys.rows);
    Tensor out = make_tensor(DType::f32, {q.shape[0], q.shape[1], v.shape[2]});
    ring_attend({q.view(), k.view(), v.view(), out.view()}, c.sequences, c.options, exchange);
    for (size_t i = 0; i < queries.rows.size(); ++i) {
      std::memcpy(all.bytes.data() + static_cast<size_t>(queries.rows[i]) * row,
                  out.bytes.data() + i * row, row);
    }
  });
  return all;
}

// One sequence of the case as a batch of one, with what its options say of it.
struct Sequence {
  Tensor q, k, v, mask;
  int64_t prefix[1];
  AttentionOptions options;

  Sequence(const Case& c, size_t s) {
    const auto part = [&](const Tensor& stream, const std::vector<int64_t>& starts) {
      Tensor tensor = contiguous_copy(rows(stream.view(), starts[s], starts[s + 1] - starts[s]));
      tensor.shape = {1, tensor.shape[0], tensor.shape[1], tensor.shape[2]};
      return tensor;
    };
    q = part(c.q, c.sequences.query_starts);
    k = part(c.k, c.sequences.key_starts);
    v = part(c.v, c.sequences.key_starts);
    options = c.options;
    if (!options.prefix.empty()) {
      prefix[0] = prefix_of_sequence(c.options, static_cast<int64_t>(s));
      options.prefix = prefix;
    }
    if (!c.sequences.key_shown.empty()) {
      mask = make_tensor(DType::boolean, {1, k.shape[1]});
      std::memcpy(mask.bytes.data(), c.sequences.key_shown.data() + c.sequences.key_starts[s],
                  mask.bytes.size());
      options.key_mask = std::as_const(mask).view();
    }
  }
};

void expect_whole(const Case& c, const Tensor& found, double tolerance) {
  const auto values = floats(found);
  size_t at = 0;
  for (size_t s = 0; s + 1 < c.sequences.query_starts.size(); ++s) {
    const Sequence one(c, s);
    Tensor out = make_tensor(DType::f32, {1, one.q.shape[1], one.q.shape[2], one.v.shape[3]});
    attend(one.q.view(), one.k.view(), one.v.view(), out.view(), one.options);
    const auto alone = floats(out);
    for (size_t i = 0; i < alone.size(); ++i) {
      ASSERT_NEAR(values[at + i], alone[i], tolerance) << "sequence " << s << ", number " << i;
    }
    if (c.options.chunk == 0 && !c.options.alibi_bf16) {  // ExactAttention knows neither
      const auto exact = ExactAttention{one.q, one.k, one.options}.run(one.v).out;
      for (size_t i = 0; i < exact.size(); ++i) {
        ASSERT_NEAR(values[at + i], exact[i], tolerance) << "sequence " << s << ", number " << i;
      }
    }
    at += alone.size();
  }
  EXPECT_EQ(at, values.size());
}

struct Draw {
  uint64_t seed, count = 0;
  int64_t below(int64_t end) {
    return static_cast<int64_t>(uniform_at(seed, count++) * static_cast<float>(end));
  }
  bool maybe() { return below(2) == 0; }
};

Case drawn(uint64_t seed, DType dtype) {
  Draw draw{seed};
  Case c;
  c.sequences.ranks = 1 + draw.below(5);
  c.sequences.order = draw.maybe() ? ShardOrder::zigzag : ShardOrder::contiguous;
  c.sequences.query_starts = c.sequences.key_starts = {0};
  const bool all_queries = draw.maybe();
  for (int64_t s = draw.below(4); s >= 0; --s) {
    const int64_t keys = draw.below(4) == 0 ? draw.below(3) : draw.below(150);
    c.sequences.key_starts.push_back(c.sequences.key_starts.back() + keys);
    c.sequences.query_starts.push_back(c.sequences.query_starts.back() +
                                       (all_queries ? keys : draw.below(keys + 1)));
  }
  const int64_t keys = c.sequences.key_starts.back(), kv_heads = 1 + draw.below(2),
                heads = kv_heads * (1 + draw.below(3)), dim = 1 + draw.below(20);
  if (draw.below(3) == 0) {
    for (int64_t i = 0; i < keys; ++i) c.sequences.key_shown.push_back(draw.below(3) > 0 ? 1 : 0);
  }
  c.q = random_tensor({c.sequences.query_starts.back(), heads, dim}, seed, dtype);
  c.k = random_tensor({keys, kv_heads, dim}, seed + 1, dtype);
  c.v = random_tensor({keys, kv_heads, 1 + draw.below(20)}, seed + 2, dtype);
  c.options.causal = draw.maybe();
  if (draw.below(3) == 0) c.options.window_left = draw.below(40);
  if (draw.below(3) == 0) c.options.window_right = draw.below(40);
  if (draw.below(4) == 0) c.options.chunk = 1 + draw.below(60);
  if (draw.below(4) == 0) c.options.softcap = 2;
  for (int64_t h = 0; h < heads; ++h) {
    c.sinks.push_back(static_cast<float>(h) - 1);
    c.slopes.push_back(std::exp2(-static_cast<float>(h) - 4));
  }
  return c;
}

// Spans of a case that has come to rest.
void draw_lists(Case& c, Draw draw) {
  static constexpr int64_t kPrefix[] = {17};
  if (draw.below(3) == 0) c.options.sinks = c.sinks;
  if (draw.below(5) == 0 && c.options.chunk == 0) c.options.prefix = kPrefix;
  if (draw.below(4) == 0) {  // T5's bias by distance
    c.options.bias_reach = 5;
    for (int64_t i = 0; i < c.q.shape[1] * 11; ++i) {
      c.distance_bias.push_back(normal_at(draw.seed, static_cast<uint64_t>(i)));
    }
    c.options.distance_bias = c.distance_bias;
  }
  if (draw.below(3) == 0) {
    c.options.alibi_slopes = c.slopes;
    c.options.alibi_form = std::vector{AlibiForm::relative, AlibiForm::symmetric,
                                       AlibiForm::key_position}[static_cast<size_t>(draw.below(3))];
    c.options.alibi_bf16 =
        c.options.alibi_form == AlibiForm::key_position && c.sequences.key_starts.back() < 256;
  }
}

TEST(RingAttention, RanksMakeTheWhole) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DType dtype = seed % 3 == 0 ? DType::bf16 : seed % 7 == 0 ? DType::f16 : DType::f32;
    Case c = drawn(1000 * seed, dtype);
    draw_lists(c, {seed});
    ThreadRing ring(c.sequences.ranks);
    const Tensor found = in_ring(c, ring);
    expect_whole(c, found,
                 dtype == DType::bf16 && attention_bf16_products() ? kToleranceBf16 : kTolerance);
    if (HasFatalFailure()) return;
  }
}

Case plain(const std::vector<int64_t>& starts, int64_t ranks, ShardOrder order) {
  Case c{
      .sequences = {.query_starts = starts, .key_starts = starts, .ranks = ranks, .order = order},
      .q = random_tensor({starts.back(), 4, 16}, 1),
      .k = random_tensor({starts.back(), 2, 16}, 2),
      .v = random_tensor({starts.back(), 2, 8}, 3),
      .options = {.causal = true}};
  return c;
}

// Keys of two heads travel, not those of four: (16 + 8) channels of 4 bytes a key.
TEST(RingAttention, BytesAreThoseOfThePlan) {
  const Case c = plain({0, 64}, 4, ShardOrder::contiguous);
  ThreadRing ring(4);
  in_ring(c, ring);
  const RingPlan plan = make_ring_plan(c.sequences, c.options);
  int64_t sent = 0;
  for (int64_t rank = 0; rank < 4; ++rank) sent += ring.sent_bytes(rank);
  EXPECT_EQ(sent, (3 + 2 + 1) * 16 * 2 * (16 + 8) * 4);
  EXPECT_EQ(plan.reach, (std::vector<int64_t>{3, 2, 1, 0}));
}

// One rank is attend, bit for bit.
TEST(RingAttention, OneRankIsAttend) {
  const Case c = plain({0, 200}, 1, ShardOrder::zigzag);
  ThreadRing ring(1);
  Tensor whole = c.all_out();
  AttentionOptions options = c.options;
  options.tensor_layout = TensorLayout::thd;
  attend(c.q.view(), c.k.view(), c.v.view(), whole.view(), options);
  EXPECT_EQ(in_ring(c, ring).bytes, whole.bytes);
}

TEST(RingAttention, ANanStaysWithThoseWhoSeeIt) {
  Case c = plain({0, 64}, 4, ShardOrder::zigzag);
  const float nan = std::nanf("");
  for (Tensor* tensor : {&c.k, &c.v})
    std::memcpy(tensor->bytes.data() + 40 * tensor->shape[1] * tensor->shape[2] * 4, &nan, 4);
  ThreadRing ring(4);
  const auto out = floats(in_ring(c, ring));
  for (size_t i = 0; i < out.size(); ++i) {
    const bool sees = i / 32 >= 40 && i / 16 % 2 == 0;  // heads 0 and 1 read key head 0
    ASSERT_EQ(std::isnan(out[i]), sees) << i;
  }
}

TEST(RingAttention, WhatItDoesNotTake) {
  const Case c = plain({0, 8}, 1, ShardOrder::contiguous);
  Tensor out = c.all_out();
  const RingExchange exchange{};
  const auto call = [&](AttentionOptions options, const Tensor& q) {
    ring_attend({q.view(), c.k.view(), c.v.view(), out.view()}, c.sequences, options, exchange);
  };
  EXPECT_ROPEWALK_ERROR(call({.first_query = 0}, c.q), ErrorCode::invalid_argument,
                        "first_query: expected none for a ring of ranks, found one");
  EXPECT_ROPEWALK_ERROR(call({}, random_tensor({7, 4, 16}, 1)), ErrorCode::invalid_argument,
                        "q: expected [8, heads, channels], the tokens of rank 0, found [7, 4, 16]");
  const int64_t prefix[] = {1, 2};
  EXPECT_ROPEWALK_ERROR(call({.prefix = prefix}, c.q), ErrorCode::invalid_argument,
                        "prefix: expected one for each of 1 sequences, found 2");
  EXPECT_ROPEWALK_ERROR(call({.softcap = -1}, c.q), ErrorCode::invalid_argument, "softcap");
}

}  // namespace
}  // namespace ropewalk
