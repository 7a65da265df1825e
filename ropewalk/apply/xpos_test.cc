#include "ropewalk/apply/xpos.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::Fixture;
using testing::random_tensor;

const float* numbers(const Tensor& tensor) {
  return reinterpret_cast<const float*>(tensor.bytes.data());
}

TEST(Xpos, WorkedNumbers) {
  const XposConfig config{.rotary_dim = 4};
  EXPECT_EQ(xpos_scales(config, 512, XposOf::query), (std::vector<float>{0.2857143f, 0.64285713f}));
  EXPECT_EQ(xpos_scales(config, 512, XposOf::key), (std::vector<float>{3.5f, 1.5555556f}));
  EXPECT_EQ(xpos_scales({.rotary_dim = 4, .center = 7}, 7, XposOf::query),
            (std::vector<float>{1, 1}));
}

// A peer rotates in float32 and rounds its factors as it goes: a few units of 2^-24 of the largest.
TEST(Xpos, AgreesWithRotaryEmbeddingTorch) {
  const Fixture fixture("xpos");
  const RotaryLayout layout{16, {{0, 16, Pairing::interleaved}}};
  const Spectrum spectrum = make_spectrum({.rotary_dim = 16, .layout = layout}, 40);
  for (const int64_t scale_base : {512, 64}) {
    const XposConfig config{
        .rotary_dim = 16, .scale_base = static_cast<double>(scale_base), .center = 20};
    for (const auto& [name, of] : {std::pair{"q_", XposOf::query}, {"k_", XposOf::key}}) {
      const std::string key = name + std::to_string(scale_base);
      Tensor x = contiguous_copy(fixture.view(key));
      apply_rope(spectrum, layout, positions_from(0), in_place(x.view()));
      apply_xpos(config, layout, positions_from(0), x.view(), of);
      const std::span<const float> expected = fixture.f32("turned_" + key);
      float most = 0;
      for (const float value : expected) most = std::max(most, std::abs(value));
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(numbers(x)[i], expected[i], 64 * 0x1p-24 * most) << key << " " << i;
      }
    }
  }
}

// The score depends on m - n alone: other positions, another center, the same number.
TEST(Xpos, TheScoreKnowsTheDistanceAlone) {
  const RotaryLayout layout{8, {{0, 8, Pairing::half_split}}};
  const Spectrum spectrum = make_spectrum({.rotary_dim = 8, .layout = layout}, 4096);
  const auto score = [&](int64_t m, int64_t n, int64_t center) {
    const XposConfig config{.rotary_dim = 8, .center = center};
    Tensor q = random_tensor({1, 1, 1, 8}, 1), k = random_tensor({1, 1, 1, 8}, 2);
    apply_rope(spectrum, layout, positions_from(m), in_place(q.view()));
    apply_rope(spectrum, layout, positions_from(n), in_place(k.view()));
    apply_xpos(config, layout, positions_from(m), q.view(), XposOf::query);
    apply_xpos(config, layout, positions_from(n), k.view(), XposOf::key);
    double sum = 0;
    for (int c = 0; c < 8; ++c) sum += static_cast<double>(numbers(q)[c]) * numbers(k)[c];
    return sum;
  };
  const double expected = score(100, 40, 0);
  EXPECT_NEAR(score(160, 100, 0), expected, 1e-6);
  EXPECT_NEAR(score(1160, 1100, 1000), expected, 1e-6);
  EXPECT_GT(std::abs(score(160, 90, 0) - expected), 1e-3);
}

TEST(Xpos, WhatDoesNotFit) {
  Tensor x = random_tensor({1, 1, 1, 8}, 1);
  const RotaryLayout layout{8, {{0, 4, Pairing::half_split}}};
  const auto expect = [&](const XposConfig& config, const char* text) {
    EXPECT_ROPEWALK_ERROR(apply_xpos(config, layout, positions_from(0), x.view(), XposOf::query),
                          ErrorCode::invalid_argument, text);
  };
  expect({.rotary_dim = 3}, "expected an even rotary_dim in 2..65536, found 3");
  expect({.rotary_dim = 4, .scale_base = 0}, "expected scale_base and gamma above 0");
  expect({.rotary_dim = 8}, "expected a layout of rotary_dim/2 = 4 pairs, found 2");
}

}  // namespace
}  // namespace ropewalk
