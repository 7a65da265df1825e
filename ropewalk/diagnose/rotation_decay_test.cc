#include "ropewalk/diagnose/rotation_decay.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

RopeConfig head_of(int64_t head_dim, int64_t rotary_dim) {
  RopeConfig rope{.rotary_dim = rotary_dim};
  rope.layout = {head_dim, {{0, rotary_dim, Pairing::half_split}}};
  return rope;
}

TEST(RotationDecay, WorkedNumber) {
  const std::vector<int64_t> distances = {0, 1};
  const std::vector<double> left = rotation_decay(head_of(2, 2), distances);
  EXPECT_EQ(left[0], 1);
  EXPECT_NEAR(left[1], 0.540302, 1e-6);
}

// The product of heads that were rotated, of YaRN and of half a head too.
TEST(RotationDecay, IsTheProductOfRotatedHeads) {
  RopeConfig yarn = head_of(16, 8);
  yarn.rope_type = "yarn";
  yarn.parameters = {{"factor", 8}, {"original_max_position_embeddings", 64}};
  for (const RopeConfig& rope : {head_of(16, 16), yarn}) {
    const std::vector<int64_t> distances = {0, 1, 7, 100};
    const std::vector<double> left = rotation_decay(rope, distances);
    double at_zero = 0;
    for (size_t i = 0; i < distances.size(); ++i) {
      Tensor q = testing::tensor_of({1, 1, 1, 16}, std::vector<float>(16, 1)), k = q;
      const Spectrum spectrum = make_spectrum(rope);
      apply_rope(spectrum, rope.layout, positions_from(1000), in_place(k.view()));
      apply_rope(spectrum, rope.layout, positions_from(1000 + distances[i]), in_place(q.view()));
      const std::vector<float> a = testing::floats(q), b = testing::floats(k);
      double product = 0;
      for (size_t c = 0; c < a.size(); ++c) product += double{a[c]} * double{b[c]};
      if (i == 0) at_zero = product;
      EXPECT_NEAR(left[i], product / at_zero, 1e-6);
    }
  }
}

}  // namespace
}  // namespace ropewalk
