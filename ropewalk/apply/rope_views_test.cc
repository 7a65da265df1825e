// The same numbers in other places: strides, alignment, the order of the dimensions.

#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/apply/rope_testing.h"
#include "ropewalk/testing/targets.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::random_tensor;
using testing::spectrum_for;
using testing::spectrum_of;
using testing::view_of_ids;
using testing::whole;

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

}  // namespace
}  // namespace ropewalk
