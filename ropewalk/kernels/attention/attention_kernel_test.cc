#include "ropewalk/kernels/attention/attention_kernel.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/kernels/simd/targets.h"

namespace ropewalk {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// On every instruction set that this machine can run.
void for_each_target(const std::function<void()>& test) {
  for (const std::string& target : available_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(cap_target(target));
    test();
  }
  cap_target("");
}

using Vector = void (*)(const float*, int64_t, float*);

// The largest distance in ULP from the exact value, over `x`.
double worst_in_ulp(Vector function, double (*exact)(double), const std::vector<float>& x) {
  std::vector<float> y(x.size());
  function(x.data(), std::ssize(x), y.data());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = exact(x[i]);
    const float rounded = std::abs(static_cast<float>(want));
    const double ulp = std::nextafter(rounded, kInfinity) - static_cast<double>(rounded);
    worst = std::max(worst, std::abs(y[i] - want) / ulp);
  }
  return worst;
}

TEST(AttentionExp2, IsWithinTwoUlpOfTheExactValue) {
  std::vector<float> x;
  for (float at = 0; at >= -126; at -= 0.00037f) x.push_back(at);
  for (float at = -1; at < -1e-30f; at *= 0.97f) x.push_back(at);
  for_each_target([&] { EXPECT_LT(worst_in_ulp(attention_exp2, std::exp2, x), 2); });
}

TEST(AttentionExp2, AtTheEnds) {
  const std::vector<float> x = {0,    -0.0f, -127, -kInfinity, std::numeric_limits<float>::lowest(),
                                kNan, -kNan};
  for_each_target([&] {
    std::vector<float> y(x.size());
    attention_exp2(x.data(), std::ssize(x), y.data());
    EXPECT_EQ(std::vector<float>(y.begin(), y.begin() + 5), (std::vector<float>{1, 1, 0, 0, 0}));
    EXPECT_TRUE(std::isnan(y[5]));
    EXPECT_TRUE(std::isnan(y[6]));
  });
}

TEST(AttentionTanh, IsWithinFourUlpOfTheExactValue) {
  std::vector<float> x;
  for (float at = -20; at < 20; at += 0.00041f) x.push_back(at);
  for (float at = 1; at > 1e-30f; at *= 0.98f) x.push_back(at), x.push_back(-at);
  for_each_target([&] {
    EXPECT_LT(worst_in_ulp(attention_tanh, std::tanh, x), 4);
    const std::vector<float> ends = {kInfinity, -kInfinity, kNan};
    std::vector<float> y(3);
    attention_tanh(ends.data(), 3, y.data());
    EXPECT_EQ(y[0], 1);
    EXPECT_EQ(y[1], -1);
    EXPECT_TRUE(std::isnan(y[2]));
  });
}

// One head of one channel, scale 1: q = [1], k = [0, ln 3], v = [0, 4] gives 3, and ln(1 + 3).
TEST(AttentionKernel, TheWorkedNumber) {
  const std::vector<float> q = {1}, k = {0, std::log(3.0f)}, v = {0, 4};
  const std::vector<int64_t> begin = {0}, end = {2}, token = {1};
  const AttentionScoring how;
  for_each_target([&] {
    AttentionBlock block{.scoring = &how, .queries = 1, .head_dim = 1, .value_dim = 1};
    block.begin = begin.data();
    block.end = end.data();
    block.tokens = block.mask_rows = token.data();
    const auto whole = [](int64_t numbers) { return static_cast<size_t>(numbers) + 16; };
    std::vector<float> memory(whole(attention_memory(block))),
        key_memory(whole(attention_key_memory(block)));
    const auto aligned = [](std::vector<float>& list) {
      auto at = reinterpret_cast<uintptr_t>(list.data());
      return reinterpret_cast<float*>((at + 63) / 64 * 64);
    };
    block.memory = aligned(memory);
    const auto rows = [](const std::vector<float>& list) {
      return AttentionRows{
          .data = reinterpret_cast<const char*>(list.data()), .row_stride = 4, .channels = 1};
    };
    AttentionKeys keys{.k = rows(k), .v = rows(v), .count = 2};
    keys.memory = aligned(key_memory);
    float out = 0, lse = 0;
    attention_start(block, rows(q));
    attention_pack(block, keys);
    attention_meet(block, keys);
    attention_finish(block, {.data = reinterpret_cast<char*>(&out),
                             .channel_stride = 4,
                             .lse = reinterpret_cast<char*>(&lse)});
    EXPECT_NEAR(out, 3, 1e-6);
    EXPECT_NEAR(lse, std::log(4), 1e-6);
  });
}

}  // namespace
}  // namespace ropewalk
