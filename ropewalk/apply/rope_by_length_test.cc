#include "ropewalk/apply/rope_by_length.h"

#include "ropewalk/positions/positions.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::random_tensor;

RopeConfig dynamic() {
  RopeConfig config;
  config.rope_type = "dynamic";
  config.rotary_dim = 16;
  config.parameters = {{"factor", 2}, {"max_position_embeddings", 4}};
  config.layout = {16, {{0, 16, Pairing::half_split}}};
  return config;
}

TEST(RopeByLength, LengthsOfSequences) {
  const std::vector<int64_t> ids = {3, 4, 0, 1};
  const auto view = [&](const Dims& shape) {
    return positions_of(make_view(static_cast<const void*>(ids.data()), DType::i64, shape));
  };
  EXPECT_EQ(sequence_lengths(view({2, 2}), 2, 2, 1), (std::vector<int64_t>{5, 2}));
  EXPECT_EQ(sequence_lengths(view({2, 1, 2}), 1, 2, 2), (std::vector<int64_t>{5}));
  EXPECT_EQ(sequence_lengths(view({4}), 3, 4, 1), (std::vector<int64_t>{5, 5, 5}));
  EXPECT_EQ(sequence_lengths(positions_from(-2), 1, 2, 1), (std::vector<int64_t>{0}));
  EXPECT_EQ(sequence_lengths(positions_from(INT64_MAX), 1, 1, 1),
            (std::vector<int64_t>{INT64_MAX}));
  EXPECT_TRUE(sequence_lengths(positions_from(0), 0, 5, 1).empty());
}

// QwenLM/Qwen#401: in a batch the longest prompt set the base of all. Each turns as it does alone,
// in either layout, q and k.
TEST(RopeByLength, N07_ASequenceTurnsAsItDoesAlone) {
  const std::vector<int64_t> first = {0, 2};  // lengths 3 and 5 of 4 trained
  const PositionArray ids = offset_positions(first, 3);
  for (const TensorLayout layout : {TensorLayout::bshd, TensorLayout::bhsd}) {
    const bool heads_first = layout == TensorLayout::bhsd;
    Tensor q = random_tensor(heads_first ? Dims{2, 4, 3, 16} : Dims{2, 3, 4, 16}, 1);
    Tensor k = random_tensor(heads_first ? Dims{2, 2, 3, 16} : Dims{2, 3, 2, 16}, 2);
    const Tensor q_before = q, k_before = k;
    const auto lengths = sequence_lengths(positions_of(ids.view()), 2, 3, 1);
    apply_rope_by_length(dynamic(), lengths, positions_of(ids.view()), in_place(q.view()),
                         in_place(k.view()), {.tensor_layout = layout});
    for (const auto& [found, before] : {std::pair{&q, &q_before}, std::pair{&k, &k_before}}) {
      const size_t size = before->bytes.size() / 2;
      for (size_t b = 0; b < 2; ++b) {
        Dims shape = before->shape;
        shape[0] = 1;
        Tensor alone = make_tensor(DType::f32, shape);
        std::copy_n(before->bytes.begin() + static_cast<std::ptrdiff_t>(b * size), size,
                    alone.bytes.begin());
        apply_rope(make_spectrum(dynamic(), lengths[b]), dynamic().layout, positions_from(first[b]),
                   in_place(alone.view()), std::nullopt, {.tensor_layout = layout});
        EXPECT_TRUE(std::equal(alone.bytes.begin(), alone.bytes.end(),
                               found->bytes.begin() + static_cast<std::ptrdiff_t>(b * size)))
            << b;
      }
    }
  }
}

// transformers' position_ids of shape [1, S], and planes [axes, 1, S], for a batch: the same row
// for each sequence, on the fly and with rows, whatever the scaling makes of the length.
TEST(RopeByLength, OneRowOfIdsServesABatch) {
  const std::vector<int64_t> two_rows = {3, 9, 3, 9}, planes = {3, 9, 3, 9, 1, 7, 1, 7};
  const std::vector<int32_t> one_row = {3, 9}, one_of_each = {3, 9, 1, 7};
  RopeConfig two_axes = dynamic();
  two_axes.position_axes = 2;
  two_axes.mrope_section = {3, 5};
  struct Case {
    RopeConfig rope;
    PositionIds all, one;
  };
  for (const auto& [rope, all, one] :
       {Case{dynamic(), positions_of(make_view(two_rows.data(), DType::i64, {2, 2})),
             positions_of(make_view(one_row.data(), DType::i32, {1, 2}))},
        Case{two_axes, positions_of(make_view(planes.data(), DType::i64, {2, 2, 2})),
             positions_of(make_view(one_of_each.data(), DType::i32, {2, 1, 2}))}}) {
    Tensor x = random_tensor({2, 2, 1, 16}, 5), y = x, with_rows = x;
    rotate(rope, all, in_place(x.view()));
    rotate(rope, one, in_place(y.view()));
    apply_rope(make_rope_rows_by_length(rope, one, 2, 2), rope.layout, in_place(with_rows.view()));
    EXPECT_EQ(y.bytes, x.bytes);
    EXPECT_EQ(with_rows.bytes, x.bytes);
  }
}

// M-RoPE 5, 3, 0: the third plane turns nothing, and the ids have it.
TEST(RopeByLength, AnAxisOfNoPairs) {
  RopeConfig rope = dynamic();
  rope.position_axes = 3;
  rope.mrope_section = {5, 3, 0};
  const std::vector<int64_t> planes = {1, 2, 7, 8, 9, 9}, two = {1, 2, 7, 8};
  const PositionIds three = positions_of(make_view(planes.data(), DType::i64, {3, 1, 2}));
  Tensor x = random_tensor({1, 2, 1, 16}, 5), y = x, with_rows = x;
  rotate(rope, three, in_place(x.view()));
  apply_rope(make_spectrum(rope, 10), rope.layout,
             positions_of(make_view(two.data(), DType::i64, {2, 1, 2})), in_place(y.view()));
  apply_rope(make_rope_rows_by_length(rope, three, 1, 2), rope.layout, in_place(with_rows.view()));
  EXPECT_EQ(x.bytes, y.bytes);
  EXPECT_EQ(x.bytes, with_rows.bytes);
}

TEST(RopeByLength, PlanesOfPositions) {
  RopeConfig config = dynamic();
  config.position_axes = 2;
  config.mrope_section = {4, 4};
  // Two axes, two sequences: the first axis long in the second sequence only.
  const std::vector<int64_t> ids = {1, 9, 2, 3};
  const auto view = make_view(static_cast<const void*>(ids.data()), DType::i64, {2, 2, 1});
  Tensor x = random_tensor({2, 1, 1, 16}, 3);
  Tensor second = make_tensor(DType::f32, {1, 1, 1, 16});
  std::copy_n(x.bytes.begin() + 64, 64, second.bytes.begin());
  const auto lengths = sequence_lengths(positions_of(view), 2, 1, 2);
  EXPECT_EQ(lengths, (std::vector<int64_t>{3, 10}));
  apply_rope_by_length(config, lengths, positions_of(view), in_place(x.view()));
  const std::vector<int64_t> its = {9, 3};
  apply_rope(make_spectrum(config, 10), config.layout,
             positions_of(make_view(static_cast<const void*>(its.data()), DType::i64, {2, 1, 1})),
             in_place(second.view()));
  EXPECT_TRUE(std::equal(second.bytes.begin(), second.bytes.end(), x.bytes.begin() + 64));
}

TEST(RopeByLength, ALengthForEachSequence) {
  Tensor x = random_tensor({2, 1, 1, 16}, 3);
  const std::vector<int64_t> one = {3};
  EXPECT_ROPEWALK_ERROR(apply_rope_by_length(dynamic(), one, positions_from(0), in_place(x.view())),
                        ErrorCode::invalid_argument,
                        "lengths: expected one for each of 2 sequences, found 1");
  Tensor none = make_tensor(DType::f32, {0, 1, 1, 16});
  EXPECT_NO_THROW(apply_rope_by_length(dynamic(), {}, positions_from(0), in_place(none.view())));
}

// DeepSeek-V3 reads neighbours and writes halves; what undoes that reads halves.
TEST(RopeByLength, RotateWritesWhereTheModelWrites) {
  RopeConfig rope = dynamic();
  rope.layout.windows[0].pairing = Pairing::interleaved;
  rope.output_layout = RotaryLayout{16, {{0, 16, Pairing::half_split}}};
  const std::vector<int64_t> first = {0, 2};
  const PositionArray ids = offset_positions(first, 3);
  const Tensor x = random_tensor({2, 3, 2, 16}, 1);
  Tensor turned = x, expected = x;
  rotate(rope, positions_of(ids.view()), in_place(turned.view()));
  apply_rope_by_length(rope, std::vector<int64_t>{3, 5}, positions_of(ids.view()),
                       in_place(expected.view()), std::nullopt,
                       {.output_layout = rope.output_layout});
  EXPECT_EQ(testing::floats(turned), testing::floats(expected));
  EXPECT_NE(testing::floats(turned), testing::floats(x));
  rotate(rope, positions_of(ids.view()), in_place(turned.view()), std::nullopt,
         {.direction = Direction::inverse});
  const std::vector<float> back = testing::floats(turned), was = testing::floats(x);
  for (size_t i = 0; i < was.size(); ++i) EXPECT_NEAR(back[i], was[i], 1e-6);
}

// As transformers, which takes the longest of a batch for all.
TEST(RopeByLength, OneLengthForTheWholeBatch) {
  const std::vector<int64_t> first = {0, 2};
  const PositionArray ids = offset_positions(first, 3);
  const Tensor x = random_tensor({2, 3, 2, 16}, 1);
  Tensor turned = x, expected = x, own = x;
  rotate(dynamic(), positions_of(ids.view()), in_place(turned.view()), std::nullopt,
         {.seq_len = 5});
  apply_rope(make_spectrum(dynamic(), 5), dynamic().layout, positions_of(ids.view()),
             in_place(expected.view()));
  rotate(dynamic(), positions_of(ids.view()), in_place(own.view()));
  EXPECT_EQ(testing::floats(turned), testing::floats(expected));
  EXPECT_NE(testing::floats(turned), testing::floats(own));
}

}  // namespace
}  // namespace ropewalk
