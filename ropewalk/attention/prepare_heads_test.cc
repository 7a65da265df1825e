#include "ropewalk/attention/prepare_heads.h"

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/positions/positions.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::random_tensor;
using testing::tensor_of;

Layer rope_layer() {
  Layer layer{.heads = 1, .kv_heads = 1, .head_dim = 4, .value_dim = 4};
  RopeConfig rope{.rotary_dim = 4};
  rope.layout = {4, {{0, 4, Pairing::half_split}}};
  layer.positions = rope;
  return layer;
}

// The last queries of a long prompt get the positions of the last keys.
TEST(PrepareHeads, QueriesAreTheLastOfTheKeys) {
  const Tensor k0 = random_tensor({1, 5, 1, 4}, 1);
  Tensor k = k0, q = tensor_of({1, 2, 1, 4}, std::vector<float>(8, 1));
  std::memcpy(q.bytes.data(), k0.bytes.data() + 3 * 16, 2 * 16);
  prepare_heads(rope_layer(), {}, positions_from(100), {q.view(), k.view()});
  const std::vector<float> keys = floats(k), queries = floats(q);
  EXPECT_EQ(queries, std::vector<float>(keys.begin() + 12, keys.end()));
  EXPECT_NE(keys, floats(k0));
  EXPECT_ROPEWALK_ERROR(prepare_heads(rope_layer(), {}, positions_from(0), {k.view(), q.view()}),
                        ErrorCode::invalid_argument, "q has 5 tokens but k only 2");
}

// A length that is given counts before that of the positions.
TEST(PrepareHeads, OneLengthForTheWholeBatch) {
  Layer layer = rope_layer();
  auto& rope = std::get<RopeConfig>(layer.positions);
  rope.rope_type = "dynamic";
  rope.parameters = {{"factor", 2}, {"max_position_embeddings", 4}};
  const Tensor k0 = random_tensor({2, 3, 1, 4}, 1), q0 = random_tensor({2, 3, 1, 4}, 2);
  Tensor k = k0, q = q0, expected = k0;
  prepare_heads(layer, {}, positions_from(0), {q.view(), k.view()}, 9);
  apply_rope_by_length(rope, std::vector<int64_t>{9, 9}, positions_from(0),
                       in_place(expected.view()));
  EXPECT_EQ(floats(k), floats(expected));
  Tensor own = k0;
  q = q0;
  prepare_heads(layer, {}, positions_from(0), {q.view(), own.view()});
  EXPECT_NE(floats(own), floats(k));
}

// OLMo cuts q, k and v before the rotation.
TEST(PrepareHeads, Clip) {
  Layer layer = rope_layer();
  layer.positions = NoEncoding{};
  EXPECT_FALSE(changes_q_and_k(layer));
  EXPECT_FALSE(changes_v(layer));
  layer.attention.clip_qkv = 2;
  EXPECT_TRUE(changes_q_and_k(layer));
  EXPECT_TRUE(changes_v(layer));
  Tensor q = tensor_of({1, 1, 1, 4}, {1, 3, -5, 2}), k = q, v = q;
  prepare_heads(layer, {}, positions_from(0), {q.view(), k.view(), v.view()});
  const std::vector<float> cut = {1, 2, -2, 2};
  EXPECT_EQ(floats(q), cut);
  EXPECT_EQ(floats(k), cut);
  EXPECT_EQ(floats(v), cut);
}

TEST(PrepareHeads, HeadsThatDoNotFit) {
  Layer layer = rope_layer();
  layer.attention.key_multiplier = 2;
  const auto prepare = [&](const TensorView& q, const TensorView& k) {
    prepare_heads(layer, {}, positions_from(0), {q, k});
  };
  Tensor f32 = random_tensor({1, 2, 1, 4}, 1), half = random_tensor({1, 2, 1, 4}, 1, DType::bf16);
  EXPECT_ROPEWALK_ERROR(prepare(f32.view(), half.view()), ErrorCode::invalid_argument,
                        "k: expected f32, because the layer changes it, found bf16");
  TensorView turned = f32.view();
  std::swap(turned.shape[1], turned.shape[3]);
  std::swap(turned.strides[1], turned.strides[3]);
  EXPECT_ROPEWALK_ERROR(prepare(turned, f32.view()), ErrorCode::invalid_argument,
                        "q: expected channels side by side, found a stride of 4");
  TensorView flat = f32.view();
  flat.shape = {2, 1, 4};
  flat.strides = {4, 4, 1};
  EXPECT_ROPEWALK_ERROR(prepare(flat, f32.view()), ErrorCode::invalid_argument,
                        "q: expected [batch, seq, heads, channels], found [2, 1, 4]");
  Tensor wide = random_tensor({1, 2, 1, 8}, 1);
  EXPECT_ROPEWALK_ERROR(prepare(f32.view(), wide.view()), ErrorCode::invalid_argument,
                        "k: expected heads of 4 channels, found 8");
  layer.attention.key_multiplier = 1;
  prepare(half.view(), half.view());
}

TEST(PrepareHeads, NormThatWasDone) {
  Layer layer = rope_layer();
  layer.positions = NoEncoding{};
  layer.attention.qk_norm = {.kind = NormKind::rms, .eps = 0, .weights = false};
  layer.attention.v_norm = layer.attention.qk_norm;
  const Tensor x = tensor_of({1, 1, 1, 4}, {2, 2, 2, 2});
  Tensor q = x, k = x, v = x;
  prepare_heads(layer, {.normed = true}, positions_from(0), {q.view(), k.view(), v.view()});
  EXPECT_EQ(floats(q), floats(x));
  EXPECT_EQ(floats(v), std::vector<float>(4, 1));
  prepare_heads(layer, {}, positions_from(0), {q.view(), k.view()});
  EXPECT_EQ(floats(q), std::vector<float>(4, 1));
}

}  // namespace
}  // namespace ropewalk
