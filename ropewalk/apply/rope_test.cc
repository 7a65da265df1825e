#include "ropewalk/apply/rope.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/apply/rope_testing.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/targets.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::kLayouts;
using testing::LayoutCase;
using testing::random_tensor;
using testing::reference;
using testing::run_of;
using testing::spectrum_for;
using testing::spectrum_of;
using testing::tensor_of;
using testing::whole;

TEST(ApplyRope, TheArticlesPair) {
  const Spectrum spectrum = spectrum_of(4);
  for (auto [pairing, want] :
       {std::pair{Pairing::half_split,
                  std::vector<float>{-1.984111f, 1.959901f, 2.462378f, 4.0198f}},
        {Pairing::interleaved, {-1.14264f, 1.922076f, 2.959851f, 4.0298f}}}) {
    Tensor x = tensor_of({1, 1, 4}, {1, 2, 3, 4});
    apply_rope(spectrum, whole(4, pairing), positions_from(1), in_place(x.view()));
    const auto y = floats(x);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], want[i], 5e-7);
  }
  Tensor x = tensor_of({1, 1, 4}, {1, 2, 3, 4});
  apply_rope(spectrum, whole(4, Pairing::half_split), positions_from(5), in_place(x.view()));
  EXPECT_THAT(floats(x), ::testing::Pointwise(::testing::FloatNear(5e-7f),
                                              {3.160435f, 1.797584f, -0.107938f, 4.094959f}));
}

TEST(ApplyRope, EqualsTheDefinitionBitForBitForEveryDimensionAndTarget) {
  testing::for_each_target([](const std::string&) {
    for (Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
      for (int64_t dim = 2; dim <= 140; dim += dim < 40 ? 2 : 14) {
        const Spectrum spectrum = spectrum_of(dim);
        const Tensor x = random_tensor({3, 2, dim}, static_cast<uint64_t>(dim));
        Tensor y = make_tensor(DType::f32, x.shape);
        apply_rope(spectrum, whole(dim, pairing), positions_from(100), {x.view(), y.view()});
        EXPECT_EQ(floats(y), reference(floats(x), 2, spectrum, whole(dim, pairing), run_of(100, 3)))
            << dim << name(pairing);
      }
    }
  });
}

TEST(ApplyRope, WindowsAnywhere) {
  testing::for_each_target([](const std::string&) {
    for (const LayoutCase& c : kLayouts) {
      SCOPED_TRACE(c.name);
      const Spectrum spectrum = spectrum_for(c.layout);
      const Tensor x = random_tensor({4, 3, c.layout.head_dim}, 5);
      Tensor y = make_tensor(DType::f32, x.shape);
      apply_rope(spectrum, c.layout, positions_from(-2), {x.view(), y.view()});
      EXPECT_EQ(floats(y), reference(floats(x), 3, spectrum, c.layout, run_of(-2, 4)));
      Tensor z = x;
      apply_rope(spectrum, c.layout, positions_from(-2), in_place(z.view()));
      EXPECT_EQ(z.bytes, y.bytes) << "in place differs";
    }
  });
}

TEST(ApplyRope, PositionIdsOfEveryShape) {
  const int64_t dim = 16;
  const Tensor x = random_tensor({2, 3, 1, dim}, 8);
  Spectrum spectrum = spectrum_of(dim);
  for (size_t i = 4; i < 8; ++i) spectrum.axis[i] = 1;
  const RotaryLayout layout = whole(dim, Pairing::half_split);
  const std::vector<int64_t> planes = {5,   6,   7,   -1, -2, -3,
                                       100, 200, 300, 0,  1,  2};  // [2 axes, 2 batch, 3 tokens]
  Tensor got = x;
  apply_rope(
      spectrum, layout,
      positions_of(make_view(static_cast<const void*>(planes.data()), DType::i64, {2, 2, 3})),
      in_place(got.view()));
  for (size_t b = 0; b < 2; ++b) {
    for (size_t s = 0; s < 3; ++s) {
      for (size_t i = 0; i < 8; ++i) {
        const auto row =
            testing::cos_sin(spectrum.inv_freq[i], planes[(i < 4 ? 0 : 6) + b * 3 + s]);
        const size_t at = (b * 3 + s) * 16 + i;
        const float xa = floats(x)[at], xb = floats(x)[at + 8], ac = xa * row.cos,
                    bs = xb * row.sin;
        EXPECT_EQ(floats(got)[at], ac - bs);
      }
    }
  }
  // int32 ids, and one plane for both axes
  const std::vector<int32_t> narrow = {5, 6, 7};
  const std::vector<int64_t> wide = {5, 6, 7, 5, 6, 7};
  Tensor a = x, b = x;
  apply_rope(spectrum, layout,
             positions_of(make_view(static_cast<const void*>(narrow.data()), DType::i32, {3})),
             in_place(a.view()));
  apply_rope(spectrum, layout,
             positions_of(make_view(static_cast<const void*>(wide.data()), DType::i64, {2, 3})),
             in_place(b.view()));
  EXPECT_EQ(a.bytes, b.bytes);
}

TEST(ApplyRope, InputAndOutputLayoutMayDiffer) {
  // P04: DeepSeek-V3 reads pairs (2i, 2i+1) and writes them half-split: at position 0 a plain
  // permutation.
  std::vector<float> x(64), want(64);
  for (size_t i = 0; i < 64; ++i) {
    x[i] = static_cast<float>(i);
    want[i] = static_cast<float>(i < 32 ? 2 * i : 2 * (i - 32) + 1);
  }
  Tensor q = tensor_of({1, 1, 64}, x);
  const RopeOptions options{.output_layout = whole(64, Pairing::half_split)};
  apply_rope(spectrum_of(64), whole(64, Pairing::interleaved), positions_from(0),
             in_place(q.view()), std::nullopt, options);
  EXPECT_EQ(floats(q), want);
}

ROPEWALK_PROPERTY(ApplyRope, ChangingTheLayoutIsAPermutationOfTheResult, [] {
  const int64_t pairs = *rc::gen::inRange(1, 40), offset = *rc::gen::inRange(0, 9),
                rest = *rc::gen::inRange(0, 9);
  const int64_t dim = offset + 2 * pairs + rest;
  const RotaryLayout from{dim, {{offset, 2 * pairs, Pairing::interleaved}}},
      to{dim, {{0, 2 * pairs, Pairing::half_split}}};
  const Spectrum spectrum = spectrum_for(from);
  const Tensor x = random_tensor({2, 2, dim}, *rc::gen::arbitrary<uint32_t>());
  Tensor plain = make_tensor(DType::f32, x.shape), moved = make_tensor(DType::f32, x.shape);
  apply_rope(spectrum, from, positions_from(11), {x.view(), plain.view()});
  apply_rope(spectrum, from, positions_from(11), {x.view(), moved.view()}, std::nullopt,
             {.output_layout = to});
  const auto p = floats(plain), m = floats(moved);
  for (size_t head = 0; head < 4; ++head) {
    const size_t at = head * static_cast<size_t>(dim);
    for (int64_t i = 0; i < pairs; ++i) {
      RC_ASSERT(m[at + static_cast<size_t>(i)] == p[at + static_cast<size_t>(offset + 2 * i)]);
      RC_ASSERT(m[at + static_cast<size_t>(i + pairs)] ==
                p[at + static_cast<size_t>(offset + 2 * i + 1)]);
    }
    for (int64_t i = 0; i < offset + rest; ++i) {
      const int64_t source = i < offset ? i : i + 2 * pairs;
      RC_ASSERT(m[at + static_cast<size_t>(2 * pairs + i)] == p[at + static_cast<size_t>(source)]);
    }
  }
});

TEST(ApplyRope, ThreadsDoNotChangeBits) {
  const Tensor x = random_tensor({4, 700, 8, 64}, 2, DType::bf16);
  Tensor one = x, many = x, own = x;
  const Spectrum spectrum = spectrum_of(64);
  const RotaryLayout layout = whole(64, Pairing::half_split);
  apply_rope(spectrum, layout, positions_from(0), in_place(one.view()), std::nullopt,
             {.parallel = {.threads = 1}});
  apply_rope(spectrum, layout, positions_from(0), in_place(many.view()), std::nullopt,
             {.parallel = {.threads = 4}});
  const Parallel backwards{.run = [](int64_t count, const std::function<void(int64_t)>& task) {
    for (int64_t i = count - 1; i >= 0; --i) task(i);
  }};
  apply_rope(spectrum, layout, positions_from(0), in_place(own.view()), std::nullopt,
             {.parallel = backwards});
  EXPECT_EQ(one.bytes, many.bytes);
  EXPECT_EQ(one.bytes, own.bytes);
}

TEST(ApplyRope, BatchNeighboursDoNotMatter) {
  const Tensor x = random_tensor({3, 1, 2, 16}, 2);
  Tensor all = x;
  const std::vector<int64_t> ids = {5, 900, -7};
  const auto ids_view = make_view(static_cast<const void*>(ids.data()), DType::i64, {3, 1});
  apply_rope(spectrum_of(16), whole(16, Pairing::half_split), positions_of(ids_view),
             in_place(all.view()));
  for (size_t b = 0; b < 3; ++b) {
    Tensor one = make_tensor(DType::f32, {1, 1, 2, 16});
    std::copy_n(x.bytes.begin() + static_cast<long>(b * 128), 128, one.bytes.begin());
    apply_rope(spectrum_of(16), whole(16, Pairing::half_split), positions_from(ids[b]),
               in_place(one.view()));
    EXPECT_TRUE(std::equal(one.bytes.begin(), one.bytes.end(),
                           all.bytes.begin() + static_cast<long>(b * 128)));
  }
}

TEST(ApplyRope, ANaNStaysInItsPair) {
  for (Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
    testing::for_each_target([&](const std::string&) {
      Tensor clean = random_tensor({2, 2, 34}, 6);
      Tensor dirty = clean;
      reinterpret_cast<float*>(dirty.bytes.data())[3] = std::nanf("");
      apply_rope(spectrum_of(34), whole(34, pairing), positions_from(2), in_place(clean.view()));
      apply_rope(spectrum_of(34), whole(34, pairing), positions_from(2), in_place(dirty.view()));
      const auto a = floats(clean), b = floats(dirty);
      for (size_t i = 0; i < a.size(); ++i) {
        const bool lost = i == 3 || i == (pairing == Pairing::interleaved ? 2u : 20u);
        EXPECT_EQ(std::isnan(b[i]), lost) << i;
        EXPECT_TRUE(lost || a[i] == b[i]) << i;
      }
    });
  }
}

}  // namespace
}  // namespace ropewalk
