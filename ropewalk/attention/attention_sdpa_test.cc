// attend and attend_backward beside torch's scaled_dot_product_attention in float64, and the
// backward pass beside finite differences.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/attention/attention_backward.h"
#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/kernels/simd/targets.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::Fixture;
using testing::floats;
using testing::numbers;
using testing::random_tensor;

void expect_near(const Tensor& found, std::span<const float> want, const std::string& what) {
  const auto ours = floats(found);
  ASSERT_EQ(ours.size(), want.size()) << what;
  float largest = 1;
  for (const float value : want) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < ours.size(); ++i) {
    ASSERT_NEAR(ours[i], want[i], 4 * testing::kAttention * largest) << what << " " << i;
  }
}

void expect_case(const Fixture& fixture, const std::string& name, const nlohmann::json& info) {
  const auto view = [&](const char* what) { return fixture.view(name + "." + what); };
  const ConstTensorView q = view("q"), k = view("k"), v = view("v");
  Tensor out = make_tensor(DType::f32, view("out").shape),
         lse = make_tensor(DType::f32, {q.shape[0], q.shape[1], q.shape[2]}),
         dq = make_tensor(DType::f32, q.shape), dk = make_tensor(DType::f32, k.shape),
         dv = make_tensor(DType::f32, v.shape);
  AttentionOptions options{.tensor_layout = TensorLayout::bhsd};
  options.causal = info.value("causal", false);
  if (options.causal) options.first_query = 0;
  options.scale = info.value("scale", 0.0);
  if (fixture.contains(name + ".mask")) options.mask = view("mask");
  options.lse = lse.view();
  attend(q, k, v, out.view(), options);
  expect_near(out, fixture.f32(name + ".out"), name + " out");
  attend_backward({q, k, v, std::as_const(out).view(), std::as_const(lse).view()}, view("d_out"),
                  {dq.view(), dk.view(), dv.view()}, options);
  expect_near(dq, fixture.f32(name + ".dq"), name + " dq");
  expect_near(dk, fixture.f32(name + ".dk"), name + " dk");
  expect_near(dv, fixture.f32(name + ".dv"), name + " dv");
}

TEST(Sdpa, OutputAndGradientsAreTorchsOnEveryInstructionSet) {
  const Fixture fixture("sdpa");
  for (const std::string& target : available_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(cap_target(target));
    for (const auto& [name, info] : fixture.info().at("cases").items()) {
      expect_case(fixture, name, info);
    }
  }
  cap_target("");
}

TEST(AttendBackward, TheWorkedNumber) {
  using testing::tensor_of;
  const float ln3 = std::log(3.0f);
  const Tensor q = tensor_of({1, 1, 1, 1}, {1}), k = tensor_of({1, 2, 1, 1}, {0, ln3}),
               v = tensor_of({1, 2, 1, 1}, {0, 4}), one = tensor_of({1, 1, 1, 1}, {1}),
               out = tensor_of({1, 1, 1, 1}, {3}), lse = tensor_of({1, 1, 1}, {std::log(4.0f)});
  Tensor dq = make_tensor(DType::f32, q.shape), dk = make_tensor(DType::f32, k.shape),
         dv = make_tensor(DType::f32, v.shape);
  attend_backward({q.view(), k.view(), v.view(), out.view(), lse.view()}, one.view(),
                  {dq.view(), dk.view(), dv.view()});
  EXPECT_NEAR(floats(dq)[0], 0.75 * ln3, 1e-6);
  EXPECT_NEAR(floats(dk)[0], -0.75, 1e-6);
  EXPECT_NEAR(floats(dk)[1], 0.75, 1e-6);
  EXPECT_NEAR(floats(dv)[0], 0.25, 1e-6);
  EXPECT_NEAR(floats(dv)[1], 0.75, 1e-6);
}

// d (out . d_out) / dx by differences of x, one number of each tensor at a time, with softcap,
// ALiBi, sinks, window, padding and packed groups of heads.
TEST(AttendBackward, IsTheSlopeOfTheForwardPass) {
  Tensor q = random_tensor({2, 9, 4, 6}, 1), k = random_tensor({2, 11, 2, 6}, 2),
         v = random_tensor({2, 11, 2, 5}, 3);
  const Tensor d_out = random_tensor({2, 9, 4, 5}, 4);
  const std::vector<float> slopes = {0.5f, 0.25f, 0.125f, 0.0625f}, sinks = {0, 1, -1, 0.5f};
  const std::vector<int64_t> lengths = {11, 8};
  Tensor lse = make_tensor(DType::f32, {2, 4, 9});
  AttentionOptions options{.causal = true, .window_left = 6, .softcap = 2, .sinks = sinks};
  options.alibi_slopes = slopes;
  options.key_lengths = lengths;
  options.lse = lse.view();
  const auto loss = [&] {
    const auto out = floats(testing::attended(q, k, v, options)), weights = floats(d_out);
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) sum += static_cast<double>(out[i]) * weights[i];
    return sum;
  };
  const Tensor out = testing::attended(q, k, v, options);
  Tensor dq = make_tensor(DType::f32, q.shape), dk = make_tensor(DType::f32, k.shape),
         dv = make_tensor(DType::f32, v.shape);
  const Tensor kept = lse;
  attend_backward({q.view(), k.view(), v.view(), out.view(), kept.view()}, d_out.view(),
                  {dq.view(), dk.view(), dv.view()}, options);
  for (const auto& [x, dx] : {std::pair{&q, &dq}, {&k, &dk}, {&v, &dv}}) {
    const auto slope = floats(*dx);
    for (size_t i = 0; i < slope.size(); i += 7) {
      const float at = numbers(*x)[i], step = 1.0f / 64;
      numbers(*x)[i] = at + step;
      const double above = loss();
      numbers(*x)[i] = at - step;
      const double below = loss();
      numbers(*x)[i] = at;
      ASSERT_NEAR(slope[i], (above - below) / (2 * step), 2e-3) << i;
    }
  }
}

TEST(AttendBackward, WhatDoesNotFitIsNamed) {
  const Tensor x = random_tensor({2, 3, 2, 4}, 1), lse = random_tensor({2, 3, 2}, 2);
  Tensor dq = make_tensor(DType::f32, x.shape), dk = dq, dv = dq;
  EXPECT_ROPEWALK_ERROR(attend_backward({x.view(), x.view(), x.view(), x.view(), lse.view()},
                                        x.view(), {dq.view(), dk.view(), dv.view()}),
                        ErrorCode::invalid_argument,
                        "lse: expected shape [2, 2, 3], found [2, 3, 2]");
}

}  // namespace
}  // namespace ropewalk
