// attend beside the backend node tests of ONNX's Attention operator.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::Fixture;
using testing::floats;

AttentionOptions options_of(const nlohmann::ordered_json& info) {
  AttentionOptions options{.tensor_layout = TensorLayout::bhsd};
  options.causal = info.value("causal", 0) != 0;
  options.first_query = info.at("first_query").get<int64_t>();
  options.scale = info.value("scale", 0.0);
  options.softcap = info.value("softcap", 0.0);
  options.window_left = info.value("window_left", -1);
  options.window_right = info.value("window_right", -1);
  return options;
}

TEST(OnnxAttention, IsWhatTheNodeTestsExpect) {
  const Fixture fixture("onnx_attention");
  const auto& cases = fixture.info().at("cases");
  EXPECT_GE(cases.size(), 40U);
  for (const auto& [name, info] : cases.items()) {
    const auto view = [&, &of = name](const char* what) { return fixture.view(of + "." + what); };
    AttentionOptions options = options_of(info);
    if (fixture.contains(name + ".mask")) options.mask = view("mask");
    Tensor out = make_tensor(DType::f32, view("out").shape);
    attend(view("q"), view("k"), view("v"), out.view(), options);
    const auto ours = floats(out);
    const auto want = fixture.f32(name + ".out");
    ASSERT_EQ(ours.size(), want.size()) << name;
    for (size_t i = 0; i < want.size(); ++i) {
      // Theirs is of float32 steps, too.
      ASSERT_NEAR(ours[i], want[i], 2 * testing::kAttention * std::fmax(1, std::fabs(want[i])))
          << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace ropewalk
