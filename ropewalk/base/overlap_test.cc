#include "ropewalk/base/overlap.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

TEST(Overlap, InterleavedViewsOfOnePackedTensorAreApart) {
  std::vector<float> memory(1000);
  const auto view = [&](int64_t first, const Dims& shape, const Dims& strides) {
    return ConstTensorView{memory.data() + first, DType::f32, shape, strides};
  };
  const auto q = view(0, {5, 4, 8}, {48, 8, 1}), k = view(32, {5, 2, 8}, {48, 8, 1});
  EXPECT_FALSE(may_overlap(q, k));
  EXPECT_TRUE(may_overlap(q, view(31, {5, 2, 8}, {48, 8, 1})));
  EXPECT_TRUE(may_overlap(q, view(41, {5, 2, 8}, {48, 8, 1})));
  EXPECT_FALSE(
      may_overlap(view(0, {8, 2}, {2, 16}), view(1, {8, 2}, {2, 16})));  // even and odd channels
  EXPECT_FALSE(may_overlap(q, view(240, {1, 1, 8}, {48, 8, 1})));
  EXPECT_TRUE(may_overlap(q, q));
  EXPECT_TRUE(may_alias_itself(view(0, {3, 4}, {3, 1})));
  EXPECT_TRUE(may_alias_itself(view(0, {3, 4}, {0, 1})));
  EXPECT_FALSE(may_alias_itself(view(50, {3, 4}, {-4, 1})));
  EXPECT_FALSE(may_alias_itself(view(0, {1, 4}, {0, 1})));
}

// Against every address, one by one.
ROPEWALK_PROPERTY(Overlap, NeverMissesASharedAddress, [] {
  const auto draw = [](std::set<const float*>& addresses, float* base) {
    const Dims shape = {*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4)};
    const Dims strides = {*rc::gen::inRange(-20, 20), *rc::gen::inRange(-9, 9),
                          *rc::gen::inRange(-3, 3)};
    const ConstTensorView view{base + *rc::gen::inRange(200, 260), DType::f32, shape, strides};
    for (int64_t i = 0; i < shape[0]; ++i) {
      for (int64_t j = 0; j < shape[1]; ++j) {
        for (int64_t l = 0; l < shape[2]; ++l) {
          addresses.insert(static_cast<const float*>(view.data) + i * strides[0] + j * strides[1] +
                           l * strides[2]);
        }
      }
    }
    return view;
  };
  static float memory[512];
  std::set<const float*> a, b;
  const ConstTensorView va = draw(a, memory), vb = draw(b, memory);
  const bool meet =
      std::any_of(a.begin(), a.end(), [&](const float* address) { return b.count(address) > 0; });
  RC_ASSERT(!meet || may_overlap(va, vb));
  RC_ASSERT(static_cast<int64_t>(a.size()) == num_elements(va.shape) || may_alias_itself(va));
});

}  // namespace
}  // namespace ropewalk
