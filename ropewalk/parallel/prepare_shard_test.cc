#include "ropewalk/parallel/prepare_shard.h"

#include <cstring>

#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/positions/positions.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::random_tensor;

// A scaling that depends on the length, a norm, and queries scaled by position.
Layer layer_of_all() {
  RopeConfig rope;
  rope.rotary_dim = 8;
  rope.rope_type = "dynamic";
  rope.parameters = {{"factor", 4.0}, {"max_position_embeddings", 16.0}};
  rope.layout = {8, {{0, 8, Pairing::half_split}}};
  Layer layer;
  layer.mixer = Mixer::attention;
  layer.heads = 4;
  layer.kv_heads = 2;
  layer.head_dim = layer.value_dim = 8;
  layer.positions = rope;
  layer.attention.qk_norm.kind = NormKind::rms;
  layer.attention.qk_norm.weights = false;
  layer.attention.query_scale = QueryScale{.rule = QueryScale::Rule::log_ratio, .length = 8};
  return layer;
}

std::vector<std::byte> rows_of(const Tensor& stream, const std::vector<int64_t>& rows) {
  std::vector<std::byte> bytes;
  const auto size = static_cast<int64_t>(stream.bytes.size()) / stream.shape[0];
  for (const int64_t row : rows) {
    bytes.insert(bytes.end(), stream.bytes.begin() + row * size,
                 stream.bytes.begin() + (row + 1) * size);
  }
  return bytes;
}

Tensor taken(const Tensor& stream, const std::vector<int64_t>& rows) {
  return {
      stream.dtype, {std::ssize(rows), stream.shape[1], stream.shape[2]}, rows_of(stream, rows)};
}

// Sequences 0 .. 39 and 40 .. 51, the queries the last 30 and 12 of them.
constexpr int64_t kQueryStarts[] = {0, 30, 42}, kKeyStarts[] = {0, 40, 52};

// Each sequence as prepare_heads has it alone.
void prepare_whole(const Layer& layer, Tensor& q, Tensor& k, int64_t first) {
  for (size_t s = 0; s < 2; ++s) {
    const auto part = [&](Tensor& tensor, const int64_t* starts) {
      TensorView view = tensor.view();
      view.data = static_cast<char*>(view.data) + starts[s] * view.strides[0] * 4;
      view.shape[0] = starts[s + 1] - starts[s];
      return as_bshd(view, TensorLayout::bshd, "heads");
    };
    prepare_heads(layer, {}, positions_from(first), {part(q, kQueryStarts), part(k, kKeyStarts)});
  }
}

TEST(PrepareShard, EachRankTurnsByItsOwnPositions) {
  const Layer layer = layer_of_all();
  const Tensor q = random_tensor({42, 4, 8}, 1), k = random_tensor({52, 2, 8}, 2);
  PositionArray shifted = packed_positions(kKeyStarts);
  for (int64_t& id : shifted.ids) id += 3;
  for (const bool given : {false, true}) {
    Tensor whole_q = q, whole_k = k;
    prepare_whole(layer, whole_q, whole_k, given ? 3 : 0);
    for (const ShardOrder order : {ShardOrder::contiguous, ShardOrder::zigzag}) {
      const RingSequences sequences{
          .query_starts = {0, 30, 42}, .key_starts = {0, 40, 52}, .ranks = 3, .order = order};
      for (int64_t rank = 0; rank < 3; ++rank) {
        const RingShard queries = query_shard(sequences, rank), keys = key_shard(sequences, rank);
        Tensor own_q = taken(q, queries.rows), own_k = taken(k, keys.rows);
        const StreamPositions positions{given ? positions_of(shifted.view()) : positions_from(0)};
        prepare_shard(layer, {}, sequences, rank, positions, {own_q.view(), own_k.view()});
        EXPECT_EQ(own_q.bytes, rows_of(whole_q, queries.rows)) << rank;
        EXPECT_EQ(own_k.bytes, rows_of(whole_k, keys.rows)) << rank;
      }
    }
  }
}

// Qwen2-VL's three axes: one list of positions is text, the same on all.
TEST(PrepareShard, TextOnSeveralAxes) {
  Layer layer = layer_of_all();
  auto& rope = std::get<RopeConfig>(layer.positions);
  rope.rope_type = "default";
  rope.parameters.clear();
  rope.position_axes = 3;
  rope.mrope_section = {2, 1, 1};
  layer.attention.query_scale.reset();
  const RingSequences sequences{.query_starts = {0, 4}, .key_starts = {0, 4}, .ranks = 2};
  const PositionArray one{{1, 4}, {7, 8, 9, 12}};
  const PositionArray three{{3, 1, 4}, {7, 8, 9, 12, 7, 8, 9, 12, 7, 8, 9, 12}};
  const Tensor q = random_tensor({2, 4, 8}, 1), k = random_tensor({2, 2, 8}, 2);
  std::vector<std::vector<std::byte>> turned;
  for (const PositionArray* each : {&one, &three}) {
    Tensor own_q = q, own_k = k;
    prepare_shard(layer, {}, sequences, 1, {positions_of(each->view())},
                  {own_q.view(), own_k.view()});
    EXPECT_NE(own_q.bytes, q.bytes);
    turned.push_back(own_q.bytes);
    turned.push_back(own_k.bytes);
  }
  EXPECT_EQ(turned[0], turned[2]);
  EXPECT_EQ(turned[1], turned[3]);
}

TEST(PrepareShard, OtherRows) {
  const RingSequences sequences{.query_starts = {0, 4}, .key_starts = {0, 4}, .ranks = 2};
  Tensor q = random_tensor({3, 4, 8}, 1), k = random_tensor({2, 2, 8}, 2);
  EXPECT_ROPEWALK_ERROR(prepare_shard(layer_of_all(), {}, sequences, 0, {}, {q.view(), k.view()}),
                        ErrorCode::invalid_argument,
                        "q: expected [2, heads, channels], found [3, 4, 8]");
}

}  // namespace
}  // namespace ropewalk
