#include "ropewalk/attention/linear.h"

#include <gtest/gtest.h>

#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::random_tensor;

const float* numbers(const Tensor& x) { return reinterpret_cast<const float*>(x.bytes.data()); }

// Sizes about those at which a product is cut.
TEST(Linear, EachNumberIsItsSum) {
  for (const int64_t rows : {1, 512, 513}) {
    for (const int64_t columns : {1, 1024, 1025}) {
      constexpr int64_t kInner = 33;
      const Tensor x = random_tensor({1, rows, kInner}, 1), w = random_tensor({columns, kInner}, 2),
                   b = random_tensor({columns}, 3);
      const std::vector<float> y = linear(blas_tokens(x.view()), w.view(), b.view());
      ASSERT_EQ(y.size(), static_cast<size_t>(rows * columns));
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
          double sum = numbers(b)[c], size = std::abs(sum);
          for (int64_t i = 0; i < kInner; ++i) {
            const double product =
                double{numbers(x)[r * kInner + i]} * double{numbers(w)[c * kInner + i]};
            sum += product;
            size += std::abs(product);
          }
          ASSERT_NEAR(y[static_cast<size_t>(r * columns + c)], sum, size * 34 * 0x1p-24);
        }
      }
    }
  }
}

TEST(Linear, BitsDoNotDependOnThreads) {
  const Tensor x = random_tensor({1, 700, 96}, 1), w = random_tensor({2100, 96}, 2);
  const auto with = [&](int threads) {
    return linear(blas_tokens(x.view()), w.view(), {}, {.threads = threads});
  };
  const std::vector<float> one = with(1);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(with(threads), one) << threads;
}

// The other way round in memory, x too.
TEST(Linear, TransposedMatrices) {
  const Tensor x = random_tensor({40, 520}, 1), w = random_tensor({40, 1100}, 2);
  const ConstTensorView across{x.bytes.data(), DType::f32, {1, 520, 40}, {0, 1, 520}},
      down{w.bytes.data(), DType::f32, {1100, 40}, {1, 1100}};
  const Tensor x_copy = contiguous_copy(across), w_copy = contiguous_copy(down);
  const std::vector<float> y = linear(blas_tokens(across), down, {}),
                           plain = linear(blas_tokens(x_copy.view()), w_copy.view(), {});
  ASSERT_EQ(y.size(), plain.size());
  for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], plain[i], 1e-4f) << i;
}

}  // namespace
}  // namespace ropewalk
