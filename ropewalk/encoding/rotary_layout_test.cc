#include "ropewalk/encoding/rotary_layout.h"

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

RotaryLayout one(int64_t head_dim, int64_t dim) {
  return {head_dim, {{0, dim, Pairing::half_split}}};
}

// huggingface/transformers#48101: a head of 65 channels was accepted, and failed when it was used.
// Turning a part of it is sound.
TEST(RotaryLayout, R06_OddHeads) {
  EXPECT_ROPEWALK_ERROR(check_layout(one(65, 65)), ErrorCode::invalid_argument,
                        "rotary dim: expected a positive even number, found 65");
  EXPECT_ROPEWALK_ERROR(check_layout(one(4, 3)), ErrorCode::invalid_argument, "number, found 3");
  EXPECT_NO_THROW(check_layout(one(65, 64)));
}

// fla-org/flash-linear-attention#1177 wrote 34 channels of a head of 33, x-transformers#296 forced
// 32 on a head of 4.
TEST(RotaryLayout, R07_WiderThanTheHead) {
  EXPECT_ROPEWALK_ERROR(check_layout(one(33, 33)), ErrorCode::invalid_argument, "number, found 33");
  EXPECT_ROPEWALK_ERROR(
      check_layout(one(33, 34)), ErrorCode::invalid_argument,
      "rotary window: expected channels inside head_dim 33, found 34 from channel 0");
  EXPECT_ROPEWALK_ERROR(
      check_layout(one(4, 32)), ErrorCode::invalid_argument,
      "rotary window: expected channels inside head_dim 4, found 32 from channel 0");
}

// huggingface/diffusers#12538: Wan shares the 64 channels of a head between time, height and width
// as 24 + 20 + 20; another of its functions had 22 + 21 + 21, which has half a pair.
TEST(RotaryLayout, D03_SharesOfThreeAxes) {
  const RotaryLayout wan{64,
                         {{0, 24, Pairing::interleaved},
                          {24, 20, Pairing::interleaved},
                          {44, 20, Pairing::interleaved}}};
  EXPECT_NO_THROW(check_layout(wan));
  EXPECT_EQ(pair_count(wan), 32);
  const RotaryLayout thirds{64,
                            {{0, 22, Pairing::interleaved},
                             {22, 21, Pairing::interleaved},
                             {43, 21, Pairing::interleaved}}};
  EXPECT_ROPEWALK_ERROR(check_layout(thirds), ErrorCode::invalid_argument,
                        "rotary dim: expected a positive even number, found 21");
}

}  // namespace
}  // namespace ropewalk
