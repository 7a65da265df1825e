// The ways a call may take by its size, strides and source of rows: the bits are those of one token
// at a time.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/targets.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::random_tensor;

RotaryLayout whole(int64_t dim, Pairing pairing) { return {dim, {{0, dim, pairing}}}; }

Spectrum llama(int64_t dim, double scaling = 1) {
  Spectrum spectrum = make_spectrum(
      {.rope_theta = 5e5, .rotary_dim = dim, .layout = whole(dim, Pairing::half_split)});
  spectrum.attention_scaling = scaling;
  return spectrum;
}

// Token `t` of x [S, H, D] alone.
TensorView token_of(const TensorView& x, int64_t t) {
  const auto offset = t * x.strides[0] * static_cast<int64_t>(size_in_bytes(x.dtype));
  TensorView token = x;
  token.data = static_cast<char*>(x.data) + offset;
  token.shape[0] = 1;
  return token;
}

Tensor one_by_one(const Spectrum& spectrum, const RotaryLayout& layout, int64_t first,
                  const Tensor& x) {
  Tensor y = x;
  const TensorView view = y.view();
  for (int64_t t = 0; t < view.shape[0]; ++t) {
    apply_rope(spectrum, layout, positions_from(first + t), in_place(token_of(view, t)));
  }
  return y;
}

constexpr DType kTypes[] = {DType::f32, DType::bf16, DType::f16};
constexpr Pairing kPairings[] = {Pairing::half_split, Pairing::interleaved};

TEST(RopeWays, ARunOfPositionsEqualsItsTokens) {
  testing::for_each_target([](const std::string&) {
    for (Pairing pairing : kPairings) {
      const RotaryLayout layout = whole(40, pairing);
      const Spectrum spectrum = llama(40, 1.25);
      const Tensor x = random_tensor({150, 2, 40}, 3);
      for (int64_t first : {int64_t{0}, int64_t{-70}, int64_t{1000000}, (int64_t{1} << 32) - 75}) {
        const Tensor want = one_by_one(spectrum, layout, first, x);
        Tensor run = x;
        apply_rope(spectrum, layout, positions_from(first), in_place(run.view()));
        EXPECT_EQ(run.bytes, want.bytes) << first;
        // The same positions as a list, found to be a run; and with a gap in it.
        std::vector<int64_t> ids(150);
        std::iota(ids.begin(), ids.end(), first);
        const auto list = make_view(static_cast<const void*>(ids.data()), DType::i64, {150});
        Tensor listed = x;
        apply_rope(spectrum, layout, positions_of(list), in_place(listed.view()));
        EXPECT_EQ(listed.bytes, want.bytes) << first;
        std::iota(ids.begin() + 50, ids.end(), first + 500);
        Tensor gap = x;
        apply_rope(spectrum, layout, positions_of(list), in_place(gap.view()));
        Tensor tail = x;
        apply_rope(spectrum, layout, positions_from(first + 450), in_place(tail.view()));
        const size_t at = 50 * 2 * 40 * sizeof(float);
        EXPECT_TRUE(std::equal(gap.bytes.begin(), gap.bytes.begin() + at, want.bytes.begin()));
        EXPECT_TRUE(std::equal(gap.bytes.begin() + at, gap.bytes.end(), tail.bytes.begin() + at));
      }
    }
  });
}

// More tokens than one block, and heads that a group of them does not divide.
void expect_head_major(DType dtype, Pairing pairing, int64_t heads) {
  const RotaryLayout layout = whole(64, pairing);
  const Tensor x = random_tensor({2, 130, heads, 64}, 4, dtype);
  Tensor want = x;
  apply_rope(llama(64), layout, positions_from(7), in_place(want.view()));
  const Tensor head_major = contiguous_copy(permuted(ConstTensorView(x.view()), {0, 2, 1, 3}));
  const RopeOptions options{.tensor_layout = TensorLayout::bhsd};
  Tensor y = head_major;
  apply_rope(llama(64), layout, positions_from(7), in_place(y.view()), std::nullopt, options);
  EXPECT_EQ(contiguous_copy(permuted(ConstTensorView(y.view()), {0, 2, 1, 3})).bytes, want.bytes);
  Tensor z = make_tensor(dtype, head_major.shape);
  apply_rope(llama(64), layout, positions_from(7), {head_major.view(), z.view()}, std::nullopt,
             options);
  EXPECT_EQ(y.bytes, z.bytes);
}

TEST(RopeWays, HeadMajorEqualsTokenMajor) {
  testing::for_each_target([](const std::string&) {
    for (DType dtype : kTypes) {
      for (Pairing pairing : kPairings) {
        for (const int64_t heads : {1, 3, 4, 6, 9}) expect_head_major(dtype, pairing, heads);
      }
    }
  });
}

// Larger than the caches that results may go around.
TEST(RopeWays, LargeOutOfPlaceEqualsInPlaceOnEveryTarget) {
  for (DType dtype : kTypes) {
    for (Pairing pairing : kPairings) {
      const RotaryLayout layout = whole(128, pairing);
      const int64_t tokens = dtype == DType::f32 ? 2100 : 4200;  // 34 MB
      Tensor x = make_tensor(dtype, {tokens, 32, 128});
      for (size_t i = 0; i < x.bytes.size(); ++i) {
        x.bytes[i] = static_cast<std::byte>(0x30 + i * 7 % 13);
      }
      Tensor want = x;
      apply_rope(llama(128), layout, positions_from(3), in_place(want.view()));
      testing::for_each_target([&](const std::string&) {
        Tensor y = make_tensor(dtype, x.shape);
        apply_rope(llama(128), layout, positions_from(3), {x.view(), y.view()});
        EXPECT_TRUE(want.bytes == y.bytes) << name(dtype) << " " << name(pairing);
      });
    }
  }
}

// The conversion of AVX512-BF16 takes denormal numbers for zero, ours must not.
TEST(RopeWays, Bf16KeepsDenormalsZerosAndNaNOnEveryTarget) {
  const CosSinTable table{1, 64, std::vector<float>(64, 0.5f), std::vector<float>(64, 0.25f), 0};
  Tensor x = make_tensor(DType::bf16, {1, 4, 128});
  auto* bits = reinterpret_cast<uint16_t*>(x.bytes.data());
  for (int i = 0; i < 512; ++i) {
    constexpr uint16_t kOdd[] = {0x0001, 0x007F, 0x0080, 0x0081, 0x8001, 0x0000,
                                 0x8000, 0x7F80, 0xFF80, 0x7FC1, 0x3F80, 0x0101};
    bits[i] = kOdd[i * 5 % 12];
  }
  for (Pairing pairing : kPairings) {
    const RotaryLayout layout = whole(128, pairing);
    std::vector<float> want;  // one pair at a time
    for (int head = 0; head < 4; ++head) {
      for (int c = 0; c < 128; ++c) {
        const bool half = pairing == Pairing::half_split;
        const bool second = half ? c >= 64 : c % 2 == 1;
        const int other = half ? (c + 64) % 128 : c ^ 1;
        const float mine = float_from_bf16(bits[head * 128 + c]),
                    its = float_from_bf16(bits[head * 128 + other]);
        const float product = mine * 0.5f, across = its * 0.25f;
        want.push_back(
            float_from_bf16(bf16_from_float(second ? product + across : product - across)));
      }
    }
    testing::for_each_target([&](const std::string&) {
      Tensor y = x;
      apply_rope(view_of(table), layout, positions_from(0), in_place(y.view()));
      const std::vector<float> got = testing::floats(y);
      for (size_t i = 0; i < want.size(); ++i) {
        if (std::isnan(want[i])) {
          EXPECT_TRUE(std::isnan(got[i])) << i;
        } else {
          EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want[i])) << i;
        }
      }
    });
  }
}

TEST(RopeRows, EqualTheSpectrumInEachDirection) {
  testing::for_each_target([](const std::string&) {
    for (Direction direction : {Direction::forward, Direction::inverse, Direction::transpose}) {
      for (Pairing pairing : kPairings) {
        const Spectrum spectrum = llama(32, 1.5);
        const Tensor x = random_tensor({3, 100, 2, 32}, 8);
        std::vector<int64_t> ids(300);
        for (size_t i = 0; i < ids.size(); ++i) {
          ids[i] = static_cast<int64_t>(i * i % 977) - 100 + (i % 100 > 50 ? 5000 : 0);
        }
        const auto positions =
            positions_of(make_view(static_cast<const void*>(ids.data()), DType::i64, {3, 100}));
        RopeOptions options;
        options.direction = direction;
        Tensor want = x, y = x;
        apply_rope(spectrum, whole(32, pairing), positions, in_place(want.view()), {}, options);
        const RopeRows rows = make_rope_rows(spectrum, positions, 3, 100, direction);
        apply_rope(rows, whole(32, pairing), in_place(y.view()), {}, options);
        EXPECT_EQ(y.bytes, want.bytes);
      }
    }
  });
}

TEST(RopeRows, OneSequenceServesAll) {
  const Tensor x = random_tensor({4, 6, 2, 32}, 9);
  Tensor want = x, y = x;
  const RotaryLayout layout = whole(32, Pairing::half_split);
  apply_rope(llama(32), layout, positions_from(11), in_place(want.view()));
  apply_rope(make_rope_rows(llama(32), positions_from(11), 1, 6), layout, in_place(y.view()));
  EXPECT_EQ(y.bytes, want.bytes);
}

TEST(RopeRows, MustFitTheCall) {
  Tensor x = make_tensor(DType::f32, {2, 6, 2, 32});
  const RotaryLayout layout = whole(32, Pairing::half_split);
  const auto apply = [&](const RopeRows& rows) { apply_rope(rows, layout, in_place(x.view())); };
  EXPECT_ROPEWALK_ERROR(apply(make_rope_rows(llama(32), positions_from(0), 2, 5)),
                        ErrorCode::invalid_argument,
                        "rows: for 2 sequences of 5 tokens, but q has 2 of 6");
  EXPECT_ROPEWALK_ERROR(apply(make_rope_rows(llama(16), positions_from(0), 2, 6)),
                        ErrorCode::invalid_argument, "the layout has 16 pairs");
  EXPECT_ROPEWALK_ERROR(
      apply(make_rope_rows(llama(32), positions_from(0), 2, 6, Direction::inverse)),
      ErrorCode::invalid_argument, "another direction");
  RopeRows cut = make_rope_rows(llama(32), positions_from(0), 2, 6);
  cut.rows.pop_back();
  EXPECT_ROPEWALK_ERROR(apply(cut), ErrorCode::invalid_argument, " numbers, found 383");
  EXPECT_ROPEWALK_ERROR(
      make_rope_rows(llama(32), positions_from(0), int64_t{1} << 31, int64_t{1} << 31),
      ErrorCode::resource_limit, "would take more than 2^40 bytes");
  EXPECT_ROPEWALK_ERROR(make_rope_rows(llama(32), positions_from(0), -1, 1),
                        ErrorCode::invalid_argument, "-1 sequences");
}

}  // namespace
}  // namespace ropewalk
