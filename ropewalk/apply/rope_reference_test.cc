// Rotation beside transformers' LLaMA and GLM, and the published formulas of ChatGLM and Baichuan.
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::Fixture;
using Allowance = std::function<double(double angle)>;  // relative to the length of the pair

RopeConfig config_of(const Fixture& fixture) {
  const auto& info = fixture.info();
  const auto head_dim = info.at("head_dim").get<int64_t>();
  const auto dim = info.at("rotary_dim").get<int64_t>();
  const Pairing pairing = pairing_from_name(info.at("pairing").get<std::string>());
  RopeConfig config;
  config.rope_theta = info.at("rope_theta").get<double>();
  config.rotary_dim = dim;
  config.layout = {head_dim, {{0, dim, pairing}}};
  return config;
}

TensorLayout tensor_layout_of(const Fixture& fixture) {
  return tensor_layout_from_name(fixture.info().at("tensor_layout").get<std::string>());
}

// Channels (a, b) of each pair, in the order of the spectrum.
std::vector<std::pair<int64_t, int64_t>> pairs_of(const RotaryLayout& layout) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const RotaryWindow& window : layout.windows) {
    for (int64_t i = 0; i < window.dim / 2; ++i) {
      if (window.pairing == Pairing::interleaved) {
        pairs.emplace_back(window.offset + 2 * i, window.offset + 2 * i + 1);
      } else {
        pairs.emplace_back(window.offset + i, window.offset + i + window.dim / 2);
      }
    }
  }
  return pairs;
}

// One tensor as float32, indexed [batch, token, head, channel] whatever its layout.
class Values {
 public:
  Values(const ConstTensorView& view, TensorLayout layout)
      : tensor_(converted(view, DType::f32)),
        view_(layout == TensorLayout::bhsd ? permuted(tensor_.view(), {0, 2, 1, 3})
                                           : std::as_const(tensor_).view()) {}
  const Dims& shape() const { return view_.shape; }
  double at(int64_t b, int64_t s, int64_t h, int64_t c) const {
    const Dims& strides = view_.strides;
    return static_cast<const float*>(
        view_.data)[b * strides[0] + s * strides[1] + h * strides[2] + c * strides[3]];
  }

 private:
  Tensor tensor_;
  ConstTensorView view_;
};

struct Comparison {
  Values input, ours, expected;
};

struct Rotation {
  const Spectrum& spectrum;
  const RotaryLayout& layout;
  PositionIds positions;
};

// The pairs of one token's head: |ours - expected| within allowance(angle) |pair|.
void expect_head(const Rotation& rotation, const Comparison& values, const PositionReader& ids,
                 const std::array<int64_t, 3>& at, const Allowance& allowance) {
  const auto [b, s, h] = at;
  const auto pairs = pairs_of(rotation.layout);
  std::vector<bool> rotated(static_cast<size_t>(rotation.layout.head_dim), false);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto [first, second] = pairs[i];
    const double length =
        std::hypot(values.input.at(b, s, h, first), values.input.at(b, s, h, second));
    const auto position = static_cast<double>(ids.at(rotation.spectrum.axis[i], b, s));
    const double limit = allowance(position * rotation.spectrum.inv_freq[i]) * length;
    for (const int64_t c : {first, second}) {
      rotated[static_cast<size_t>(c)] = true;
      EXPECT_NEAR(values.ours.at(b, s, h, c), values.expected.at(b, s, h, c), limit)
          << "batch " << b << " token " << s << " head " << h << " channel " << c << " position "
          << position;
    }
  }
  for (int64_t c = 0; c < rotation.layout.head_dim; ++c) {
    if (rotated[static_cast<size_t>(c)]) continue;
    EXPECT_EQ(values.ours.at(b, s, h, c), values.input.at(b, s, h, c)) << "channel " << c;
  }
}

void expect_rotation(const Rotation& rotation, const Comparison& values,
                     const Allowance& allowance) {
  const Dims& shape = values.input.shape();
  ASSERT_EQ(values.ours.shape(), values.expected.shape());
  const PositionReader ids(rotation.positions, shape[0], shape[1], axis_count(rotation.spectrum));
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t s = 0; s < shape[1]; ++s) {
      for (int64_t h = 0; h < shape[2]; ++h) {
        expect_head(rotation, values, ids, {b, s, h}, allowance);
      }
      if (::testing::Test::HasFailure()) return;  // one token's worth of messages is enough
    }
  }
}

// Rotates the fixture's q and k in one call and compares with q_<suffix> and k_<suffix>.
void expect_fixture(const Fixture& fixture, const Spectrum& spectrum, const RotaryLayout& layout,
                    const std::string& suffix, const Allowance& allowance) {
  const TensorLayout order = tensor_layout_of(fixture);
  const Rotation rotation{spectrum, layout, positions_of(fixture.view("position_ids"))};
  Tensor q = contiguous_copy(fixture.view("q")), k = contiguous_copy(fixture.view("k"));
  RopeOptions options;
  options.tensor_layout = order;
  apply_rope(spectrum, layout, rotation.positions, in_place(q.view()), in_place(k.view()), options);
  for (const auto& [name, tensor] : {std::pair<std::string, const Tensor&>{"q", q}, {"k", k}}) {
    if (!fixture.contains(name + suffix)) continue;
    SCOPED_TRACE(name + suffix);
    expect_rotation(rotation,
                    {Values(fixture.view(name), order), Values(tensor.view(), order),
                     Values(fixture.view(name + suffix), order)},
                    allowance);
  }
}

void expect_fixture(const std::string& name, const std::string& suffix,
                    const Allowance& allowance) {
  const Fixture fixture(name);
  const RopeConfig config = config_of(fixture);
  expect_fixture(fixture, make_spectrum(config), config.layout, suffix, allowance);
}

double one_rounding(double) { return testing::kRotation; }

TEST(RopeReference, LlamaFloat32) {
  expect_fixture("rope_llama_d64", "_out", testing::rotation_float32);
  expect_fixture("rope_llama_d128", "_out", testing::rotation_float32);
}

TEST(RopeReference, LlamaBfloat16) {
  expect_fixture("rope_llama_d64_bf16", "_out", [](double angle) {
    return testing::rotation_16_bit(angle, testing::kRoundingBf16);
  });
}

TEST(RopeReference, LlamaFloat16) {
  expect_fixture("rope_llama_d64_f16", "_out", [](double angle) {
    return testing::rotation_16_bit(angle, testing::kRoundingF16);
  });
}

// With transformers' own cos and sin, the float32 products and sums are the same ones: equal bits.
TEST(RopeReference, LlamaOwnTableBitForBit) {
  for (const char* name : {"rope_llama_d64", "rope_llama_d128"}) {
    const Fixture fixture(name);
    const RopeConfig config = config_of(fixture);
    const Dims shape = fixture.view("cos").shape;  // [B, S, P]
    const int64_t rows = shape[0] * shape[1];
    std::vector<int64_t> row_ids(static_cast<size_t>(rows));
    std::iota(row_ids.begin(), row_ids.end(), 0);
    const TableView table{make_view(fixture.view("cos").data, DType::f32, {rows, shape[2]}),
                          make_view(fixture.view("sin").data, DType::f32, {rows, shape[2]})};
    const PositionIds ids = positions_of(
        make_view(static_cast<const void*>(row_ids.data()), DType::i64, {shape[0], shape[1]}));
    Tensor q = contiguous_copy(fixture.view("q")), k = contiguous_copy(fixture.view("k"));
    RopeOptions options;
    options.tensor_layout = tensor_layout_of(fixture);
    apply_rope(table, config.layout, ids, in_place(q.view()), in_place(k.view()), options);
    EXPECT_EQ(q.bytes, contiguous_copy(fixture.view("q_out")).bytes) << name;
    EXPECT_EQ(k.bytes, contiguous_copy(fixture.view("k_out")).bytes) << name;
  }
}

TEST(RopeReference, GlmOfTransformers) {
  expect_fixture("rope_glm_theta10000", "_out", testing::rotation_float32);
  expect_fixture("rope_glm_theta5000000", "_out", testing::rotation_float32);
}

TEST(RopeReference, ChatGlm2Published) {
  expect_fixture("rope_glm_theta10000", "_exact", one_rounding);
  expect_fixture("rope_glm_theta5000000", "_exact", one_rounding);
}

TEST(RopeReference, ChatGlm2IdealFrequencies) {
  for (const char* name : {"rope_glm_theta10000", "rope_glm_theta5000000"}) {
    const Fixture fixture(name);
    const RopeConfig config = config_of(fixture);
    const auto dim = config.rotary_dim;
    expect_fixture(fixture, ideal_spectrum(config.rope_theta, static_cast<double>(dim), dim / 2),
                   config.layout, "_ideal", one_rounding);
  }
}

TEST(RopeReference, ChatGlm6B) {
  const Fixture fixture("rope_chatglm_6b");
  RopeConfig config = config_of(fixture);
  config.position_axes = 2;
  config.inv_freq_dtype = DType::f16;
  config.layout.windows.push_back({64, 64, Pairing::half_split});
  expect_fixture(fixture, make_spectrum(config), config.layout, "_out", one_rounding);
}

TEST(RopeReference, Baichuan7B) { expect_fixture("rope_baichuan_7b", "_out", one_rounding); }

}  // namespace
}  // namespace ropewalk
