#include "ropewalk/base/tensor.h"

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

}  // namespace
}  // namespace ropewalk
