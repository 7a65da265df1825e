#include "ropewalk/apply/rope.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/oracle.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/targets.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::random_tensor;
using testing::tensor_of;

Spectrum spectrum_of(int64_t dim, double theta = 1e4) {
  return make_spectrum(
      {.rope_theta = theta, .rotary_dim = dim, .layout = {dim, {{0, dim, Pairing::half_split}}}});
}

RotaryLayout whole(int64_t dim, Pairing pairing) { return {dim, {{0, dim, pairing}}}; }

// x [tokens, heads, head_dim] f32 rotated by the definition: MPFR's cos and sin, one rounding per
// operation.
std::vector<float> reference(const std::vector<float>& x, int64_t heads, const Spectrum& spectrum,
                             const RotaryLayout& layout, const std::vector<int64_t>& positions) {
  std::vector<float> y = x;
  for (size_t token = 0; token < positions.size(); ++token) {
    size_t pair = 0;
    for (const RotaryWindow& window : layout.windows) {
      for (int64_t i = 0; i < window.dim / 2; ++i, ++pair) {
        const bool half = window.pairing == Pairing::half_split;
        const int64_t a = window.offset + (half ? i : 2 * i),
                      b = window.offset + (half ? i + window.dim / 2 : 2 * i + 1);
        const auto row =
            testing::cos_sin(spectrum.inv_freq[pair], positions[token], spectrum.attention_scaling);
        for (int64_t h = 0; h < heads; ++h) {
          const auto at =
              static_cast<size_t>((static_cast<int64_t>(token) * heads + h) * layout.head_dim);
          const float xa = x[at + static_cast<size_t>(a)], xb = x[at + static_cast<size_t>(b)];
          const float ac = xa * row.cos, bs = xb * row.sin, bc = xb * row.cos, as = xa * row.sin;
          y[at + static_cast<size_t>(a)] = ac - bs;
          y[at + static_cast<size_t>(b)] = bc + as;
        }
      }
    }
  }
  return y;
}

std::vector<int64_t> run_of(int64_t first, int64_t count) {
  std::vector<int64_t> positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

ConstTensorView view_of_ids(const std::vector<int64_t>& ids) {
  return make_view(static_cast<const void*>(ids.data()), DType::i64,
                   {static_cast<int64_t>(ids.size())});
}

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

struct LayoutCase {
  const char* name;
  RotaryLayout layout;
};

const LayoutCase kLayouts[] = {
    {"GPT-J, leading", {80, {{0, 32, Pairing::interleaved}}}},
    {"GPT-NeoX, a quarter", {64, {{0, 16, Pairing::half_split}}}},
    {"DeepSeek MLA, trailing", {96, {{32, 64, Pairing::interleaved}}}},
    {"ChatGLM-6B, two windows",
     {128, {{0, 64, Pairing::half_split}, {64, 64, Pairing::half_split}}}},
    {"two windows in reverse, of both pairings",
     {50, {{30, 18, Pairing::interleaved}, {2, 12, Pairing::half_split}}}},
    {"no window", {24, {}}},
};

Spectrum spectrum_for(const RotaryLayout& layout) {
  std::vector<double> inv_freq;
  for (int64_t i = 0; i < pair_count(layout); ++i)
    inv_freq.push_back(static_cast<float>(std::pow(1e4, -static_cast<double>(i) / 32)));
  return spectrum_from_inv_freq(inv_freq);
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

TEST(ApplyRope, SixteenBitTypesAreTheFloat32ResultRoundedOnce) {
  for (DType dtype : {DType::bf16, DType::f16}) {
    for (const LayoutCase& c : kLayouts) {
      const Spectrum spectrum = spectrum_for(c.layout);
      const Tensor x = random_tensor({5, 2, c.layout.head_dim}, 9, dtype);
      const auto want32 = reference(floats(x), 2, spectrum, c.layout, run_of(1000, 5));
      const Tensor want = converted(tensor_of(x.shape, want32).view(), dtype);
      testing::for_each_target([&](const std::string&) {
        Tensor y = x;
        apply_rope(spectrum, c.layout, positions_from(1000), in_place(y.view()));
        EXPECT_EQ(y.bytes, want.bytes) << c.name << name(dtype);
      });
    }
  }
}

// Every 16-bit number through the load and store of every target: position 0 multiplies by 1 and
// adds 0.
TEST(ApplyRope, EverySixteenBitNumberSurvivesPositionZero) {
  for (DType dtype : {DType::bf16, DType::f16}) {
    Tensor x = make_tensor(dtype, {512, 1, 128});
    auto* bits = reinterpret_cast<uint16_t*>(x.bytes.data());
    for (int i = 0; i < 65536; ++i) bits[i] = static_cast<uint16_t>(i);
    testing::for_each_target([&](const std::string&) {
      for (Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
        Tensor y = x;
        const std::vector<int64_t> zeros(512, 0);
        apply_rope(spectrum_of(128), whole(128, pairing), positions_of(view_of_ids(zeros)),
                   in_place(y.view()));
        const auto want = floats(x), got = floats(y);
        for (size_t i = 0; i < want.size(); ++i) {
          const size_t partner =
              pairing == Pairing::interleaved ? i ^ 1 : (i % 128 < 64 ? i + 64 : i - 64);
          if (!std::isfinite(want[partner])) {  // 0 * inf: the pair is lost, as the definition says
            EXPECT_TRUE(std::isnan(got[i]));
          } else if (std::isnan(want[i])) {
            EXPECT_TRUE(std::isnan(got[i]));
          } else {
            EXPECT_EQ(want[i], got[i]) << i;
          }
        }
      }
    });
  }
}

TEST(ApplyRope, StoresRoundToNearestEvenAndKeepDenormals) {
  // x = [v, 0] at an angle of 0: the float32 result v is what is rounded.
  const Spectrum still = spectrum_from_inv_freq(std::vector<double>{0.0});
  const CosSinTable table{
      1, 1, {1.00048828125f}, {0.0f}, 0};  // 1 + 2^-11: makes halves of the last place of f16
  for (uint16_t bits : {0x3C00, 0x3C01, 0x3C02, 0x0001, 0x03FF, 0x0400, 0x7BFF, 0x8001, 0xBC01}) {
    Tensor x = make_tensor(DType::f16, {1, 1, 2});
    std::memcpy(x.bytes.data(), &bits, 2);
    const uint16_t want = f16_from_float(float_from_f16(bits) * 1.00048828125f);
    testing::for_each_target([&](const std::string&) {
      Tensor y = x;
      apply_rope(view_of(table), whole(2, Pairing::half_split), positions_from(0),
                 in_place(y.view()));
      uint16_t got;
      std::memcpy(&got, y.bytes.data(), 2);
      EXPECT_EQ(got, want) << bits;
    });
  }
}

// A view of the same numbers in another place: strides, order and alignment as asked.
struct Scattered {
  std::vector<std::byte> memory;
  TensorView view;
};

Scattered scattered(const Tensor& x, const Dims& strides, int64_t first, int64_t elements,
                    size_t misalign) {
  Scattered result;
  const size_t size = size_in_bytes(x.dtype);
  result.memory.assign(static_cast<size_t>(elements) * size + 8, std::byte{0xA5});
  result.view = {{result.memory.data() + misalign + static_cast<size_t>(first) * size, x.dtype,
                  x.shape, strides}};
  const std::byte* from = x.bytes.data();
  for (int64_t t = 0; t < x.shape[0]; ++t) {
    for (int64_t h = 0; h < x.shape[1]; ++h) {
      for (int64_t c = 0; c < x.shape[2]; ++c, from += size) {
        const int64_t at = t * strides[0] + h * strides[1] + c * strides[2];
        std::memcpy(static_cast<std::byte*>(result.view.data) + at * static_cast<int64_t>(size),
                    from, size);
      }
    }
  }
  return result;
}

TEST(ApplyRope, AnyStridesAndAlignmentGiveTheSameBitsAndTouchNothingElse) {
  const int64_t tokens = 3, heads = 2, dim = 36;
  struct Case {
    Dims strides;
    int64_t first, elements;
  };
  const Case cases[] = {{{100, 40, 1}, 0, 300},  {{2, 400, 10}, 0, 800}, {{-80, 36, 1}, 240, 400},
                        {{80, 40, -1}, 50, 400}, {{200, 80, 2}, 1, 600}, {{1, 3, 6}, 0, 250}};
  for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    for (Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
      const RotaryLayout layout{dim, {{4, 30, pairing}}};
      const Spectrum spectrum = spectrum_for(layout);
      const Tensor x = random_tensor({tokens, heads, dim}, 3, dtype);
      Tensor want = x;
      apply_rope(spectrum, layout, positions_from(7), in_place(want.view()));
      for (const Case& c : cases) {
        for (size_t misalign : {0, 1, 3}) {
          testing::for_each_target([&](const std::string&) {
            Scattered y = scattered(x, c.strides, c.first, c.elements, misalign);
            const Scattered untouched = scattered(want, c.strides, c.first, c.elements, misalign);
            apply_rope(spectrum, layout, positions_from(7), in_place(y.view));
            EXPECT_EQ(y.memory, untouched.memory) << to_string(c.strides) << misalign;
          });
        }
      }
    }
  }
}

TEST(ApplyRope, LayoutsOfTensorsAgree) {
  const int64_t batch = 2, seq = 5, heads = 3, dim = 16;
  const Tensor x = random_tensor({batch, seq, heads, dim}, 1);
  const Tensor swapped = contiguous_copy(permuted(x.view(), {0, 2, 1, 3}));
  Tensor a = x, b = swapped, c = x;
  const Spectrum spectrum = spectrum_of(dim);
  const RotaryLayout layout = whole(dim, Pairing::half_split);
  apply_rope(spectrum, layout, positions_from(3), in_place(a.view()));
  apply_rope(spectrum, layout, positions_from(3), in_place(b.view()), std::nullopt,
             {.tensor_layout = TensorLayout::bhsd});
  EXPECT_EQ(a.bytes, contiguous_copy(permuted(std::as_const(b).view(), {0, 2, 1, 3})).bytes);
  std::vector<int64_t> ids = {3, 4, 5, 6, 7, 3, 4, 5, 6, 7};
  TensorView packed = make_view(c.bytes.data(), DType::f32, {batch * seq, heads, dim});
  apply_rope(spectrum, layout, positions_of(view_of_ids(ids)), in_place(packed), std::nullopt,
             {.tensor_layout = TensorLayout::thd});
  EXPECT_EQ(a.bytes, c.bytes);
}

TEST(ApplyRope, QAndKOfOnePackedTensor) {
  const int64_t tokens = 6, q_heads = 4, k_heads = 2, dim = 8, all = q_heads + 2 * k_heads;
  Tensor packed = random_tensor({tokens, all, dim}, 4);
  const auto part = [&](int64_t first, int64_t count) {
    TensorView view = packed.view();
    view.data = static_cast<float*>(view.data) + first * dim;
    view.shape[1] = count;
    return view;
  };
  const Tensor q = contiguous_copy(part(0, q_heads)), k = contiguous_copy(part(q_heads, k_heads)),
               v = contiguous_copy(part(q_heads + k_heads, k_heads));
  Tensor q2 = q, k2 = k;
  const Spectrum spectrum = spectrum_of(dim);
  const RotaryLayout layout = whole(dim, Pairing::interleaved);
  apply_rope(spectrum, layout, positions_from(9), in_place(q2.view()), in_place(k2.view()));
  apply_rope(spectrum, layout, positions_from(9), in_place(part(0, q_heads)),
             in_place(part(q_heads, k_heads)));
  EXPECT_EQ(contiguous_copy(part(0, q_heads)).bytes, q2.bytes);
  EXPECT_EQ(contiguous_copy(part(q_heads, k_heads)).bytes, k2.bytes);
  EXPECT_EQ(contiguous_copy(part(q_heads + k_heads, k_heads)).bytes, v.bytes);
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
