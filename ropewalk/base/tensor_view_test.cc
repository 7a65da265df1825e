#include "ropewalk/base/tensor_view.h"

#include <gtest/gtest.h>

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

TEST(TensorView, ChecksNameTheArgument) {
  EXPECT_ROPEWALK_ERROR(check_view({nullptr, DType::f32, {2}, {1}}, "q"),
                        ErrorCode::invalid_argument, "q: null data pointer");
  EXPECT_ROPEWALK_ERROR(check_view({nullptr, DType::f32, {2}, {}}, "q"),
                        ErrorCode::invalid_argument, "q: 1 dimensions but 0 strides");
  EXPECT_NO_THROW(check_view({nullptr, DType::f32, {0, 5}, {5, 1}}, "q"));
  EXPECT_EQ(num_elements({0, int64_t{1} << 62, int64_t{1} << 62}), 0);
}

}  // namespace
}  // namespace ropewalk
