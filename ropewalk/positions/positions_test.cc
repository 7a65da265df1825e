#include "ropewalk/positions/positions.h"

#include <limits>

#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using Ids = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

// Prefill and decode of a left-padded row count in one frame (unslothai/unsloth#3699).
TEST(Positions, I01_LeftPadding) {
  const Bytes mask = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const PaddingMask rows{2, 5, mask};
  EXPECT_EQ(mask_positions(rows), (PositionArray{{2, 5}, {0, 0, 0, 1, 2, 0, 1, 2, 3, 4}}));
  EXPECT_EQ(mask_positions(rows, 1).ids, (Ids{1, 1, 0, 1, 2, 0, 1, 2, 3, 4}));
  const Ids lengths = mask_lengths(rows);
  EXPECT_EQ(lengths, (Ids{3, 5}));
  EXPECT_EQ(offset_positions(lengths, 1), (PositionArray{{2, 1}, {3, 5}}));
}

TEST(Positions, PaddingOnTheRightAndInside) {
  const Bytes mask = {1, 1, 0, 1, 0, 1, 0, 0, 0, 0};
  EXPECT_EQ(mask_positions({2, 5, mask}, -1).ids, (Ids{0, 1, -1, 2, -1, 0, -1, -1, -1, -1}));
  EXPECT_TRUE(mask_positions({0, 5, {}}).ids.empty());
  EXPECT_EQ(mask_lengths({3, 0, {}}), (Ids{0, 0, 0}));
}

TEST(Positions, MaskThatIsNone) {
  const Bytes mask = {1, 2};
  EXPECT_ROPEWALK_ERROR(mask_positions({1, 2, mask}), ErrorCode::invalid_argument,
                        "mask: index 1: expected 0 or 1, found 2");
  EXPECT_ROPEWALK_ERROR(opt_positions({1, 2, mask}), ErrorCode::invalid_argument, "index 1");
  EXPECT_ROPEWALK_ERROR(mask_lengths({2, 2, mask}), ErrorCode::invalid_argument,
                        "mask: expected 2 x 2 values, found 2");
  EXPECT_ROPEWALK_ERROR(mask_positions({-1, 2, mask}), ErrorCode::invalid_argument, "found -1");
  EXPECT_ROPEWALK_ERROR(mask_positions({1 << 20, 1 << 20, mask}), ErrorCode::resource_limit,
                        "mask: expected at most 268435456 tokens, found 1099511627776");
}

// After a cache of 10 tokens the next one is at 10 (mirage-project/mirage#398).
TEST(Positions, I06_OffsetsOfEachRow) {
  EXPECT_EQ(offset_positions(Ids{3, 7}, 2), (PositionArray{{2, 2}, {3, 4, 7, 8}}));
  EXPECT_EQ(offset_positions(Ids{10}, 1).ids, Ids{10});
  EXPECT_EQ(offset_positions(Ids{kLargest - 1}, 2).ids, (Ids{kLargest - 1, kLargest}));
  EXPECT_ROPEWALK_ERROR(offset_positions(Ids{0, kLargest}, 2), ErrorCode::invalid_argument,
                        "first position 9223372036854775807 of row 1: 2 tokens go beyond 2^63 - 1");
  EXPECT_ROPEWALK_ERROR(offset_positions(Ids{0}, -1), ErrorCode::invalid_argument, "seq");
}

// Every sequence begins anew, the same document twice has the same positions
// (NVIDIA/Megatron-LM#453, allenai/OLMo-core#591).
TEST(Positions, I03_I04_PackedSequences) {
  EXPECT_EQ(packed_positions(Ids{0, 4, 8}), (PositionArray{{8}, {0, 1, 2, 3, 0, 1, 2, 3}}));
  EXPECT_EQ(packed_positions(Ids{0, 3, 3, 5}).ids, (Ids{0, 1, 2, 0, 1}));
  EXPECT_EQ(packed_positions(Ids{0, 2, 4}, Ids{10, 0}).ids, (Ids{10, 11, 0, 1}));
  EXPECT_TRUE(packed_positions(Ids{0}).ids.empty());
}

TEST(Positions, BoundariesThatAreNone) {
  const auto refused = [](const Ids& cu_seqlens, const char* text) {
    EXPECT_ROPEWALK_ERROR(packed_positions(cu_seqlens), ErrorCode::invalid_argument, text);
  };
  refused({}, "cu_seqlens: expected 0 first, found none");
  refused({1, 2}, "cu_seqlens: expected 0 first, found 1");
  refused({0, 4, 3}, "cu_seqlens: index 2: expected at least 4, found 3");
  EXPECT_ROPEWALK_ERROR(packed_positions(Ids{0, kLargest}), ErrorCode::resource_limit, "at most");
  EXPECT_ROPEWALK_ERROR(packed_positions(Ids{0, 4}, Ids{1, 2}), ErrorCode::invalid_argument,
                        "firsts: expected one for each of 1 sequences, found 2");
}

// huggingface/transformers#20761, #5285: OPT counts from 2, RoBERTa from padding_idx + 1.
TEST(Positions, E07_RowsOfLearnedTables) {
  EXPECT_EQ(fairseq_positions({1, 4, Ids{0, 5, 6, 1}}, 1).ids, (Ids{2, 3, 4, 1}));
  const Ids padded = {1, 1, 7, 8};
  EXPECT_EQ(fairseq_positions({1, 4, padded}, 1).ids, (Ids{1, 1, 2, 3}));
  EXPECT_EQ(fairseq_positions({1, 4, padded}, 1, 5).ids, (Ids{1, 1, 7, 8}));
  const Bytes mask = {1, 1, 1, 0};
  EXPECT_EQ(opt_positions({1, 4, mask}).ids, (Ids{2, 3, 4, 1}));
  EXPECT_ROPEWALK_ERROR(fairseq_positions({1, 4, padded}, -1), ErrorCode::invalid_argument,
                        "padding_idx");
}

TEST(Positions, ArraysAreTakenAsPositionIds) {
  const PositionArray rows = offset_positions(Ids{3, 7}, 2);
  const PositionIds ids = positions_of(rows.view());
  const PositionReader reader(ids, 2, 2, 1);
  EXPECT_EQ(reader.at(0, 0, 1), 4);
  EXPECT_EQ(reader.at(0, 1, 0), 7);
}

// Where the padding is does not matter: the tokens of a row are 0, 1, 2, ...
ROPEWALK_PROPERTY(Positions, TokensOfARowAreCounted, [] {
  const auto mask = *rc::gen::container<Bytes>(rc::gen::inRange<uint8_t>(0, 2));
  const PaddingMask row{1, static_cast<int64_t>(mask.size()), mask};
  const PositionArray positions = mask_positions(row, -7);
  int64_t expected = 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    RC_ASSERT(positions.ids[i] == (mask[i] != 0 ? expected : -7));
    expected += mask[i];
  }
  RC_ASSERT(mask_lengths(row) == Ids{expected});
});

TEST(Positions, LastOfAll) {
  const auto ids_of = [](const PositionIds& positions, int64_t batch, int64_t count, int64_t axes) {
    const PositionReader reader(positions, batch, count, axes);
    Ids ids;
    for (int64_t a = 0; a < axes; ++a) {
      for (int64_t b = 0; b < batch; ++b) {
        for (int64_t i = 0; i < count; ++i) ids.push_back(reader.at(a, b, i));
      }
    }
    return ids;
  };
  EXPECT_EQ(ids_of(last_positions(positions_from(3), 4, 2), 1, 2, 1), (Ids{5, 6}));
  const PositionArray planes{{2, 1, 3}, {0, 1, 2, 7, 8, 9}};
  EXPECT_EQ(ids_of(last_positions(positions_of(planes.view()), 3, 2), 1, 2, 2), (Ids{1, 2, 8, 9}));
  EXPECT_EQ(ids_of(last_positions(positions_of(planes.view()), 3, 3), 1, 3, 2), planes.ids);
  EXPECT_ROPEWALK_ERROR(last_positions(positions_from(0), 3, 4), ErrorCode::invalid_argument,
                        "expected 0..3 of 3, found 4");
  EXPECT_ROPEWALK_ERROR(last_positions(positions_of(planes.view()), 4, 2),
                        ErrorCode::invalid_argument, "expected 4 for each sequence");
}

}  // namespace
}  // namespace ropewalk
