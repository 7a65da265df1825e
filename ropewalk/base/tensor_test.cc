#include "ropewalk/base/tensor.h"

#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

TEST(Converted, ADoubleIsRoundedOnce) {
  // Above the middle of two bf16 by less than a float can hold: rounding twice would go to even.
  const double value = 1 + 0x1p-8 + 0x1p-40;
  const Tensor bf16 =
      converted(make_view(static_cast<const void*>(&value), DType::f64, {1}), DType::bf16);
  EXPECT_EQ(float_from_bf16(*reinterpret_cast<const uint16_t*>(bf16.bytes.data())), 1 + 0x1p-7f);
  const double half = 1 + 0x1p-11 + 0x1p-40;
  const Tensor f16 =
      converted(make_view(static_cast<const void*>(&half), DType::f64, {1}), DType::f16);
  EXPECT_EQ(float_from_f16(*reinterpret_cast<const uint16_t*>(f16.bytes.data())), 1 + 0x1p-10f);
}

// Numbers side by side go through a loop of their own, others one by one.
TEST(Converted, EveryNumberIsTheSameHoweverItLies) {
  constexpr int64_t kCount = 65536;
  std::vector<uint16_t> side_by_side, apart;
  for (int64_t i = 0; i < kCount; ++i) {
    side_by_side.push_back(static_cast<uint16_t>(i));
    apart.insert(apart.end(), 3, static_cast<uint16_t>(i));
  }
  for (DType half : {DType::bf16, DType::f16}) {
    const void *const near = side_by_side.data(), *const far = apart.data();
    const Tensor floats = converted(make_view(near, half, {kCount}), DType::f32);
    EXPECT_EQ(floats.bytes, converted({far, half, {kCount}, {3}}, DType::f32).bytes) << name(half);
    // Between two 16-bit numbers too, and back.
    Tensor more = floats;
    auto* const numbers = reinterpret_cast<float*>(more.bytes.data());
    for (int64_t i = 0; i < kCount; ++i) numbers[i] *= 1 + static_cast<float>(i % 7) * 0x1p-10f;
    std::vector<float> spread;
    for (int64_t i = 0; i < kCount; ++i) spread.insert(spread.end(), 3, numbers[i]);
    const void* const spread_out = spread.data();
    EXPECT_EQ(converted(more.view(), half).bytes,
              converted({spread_out, DType::f32, {kCount}, {3}}, half).bytes)
        << name(half);
  }
}

}  // namespace
}  // namespace ropewalk
