// Each kind of layer of each config as transformers' own classes turn it: frequencies, attention
// scaling, and a random q, so that pairing, rotated channels and axes are proven too.

#include <cmath>
#include <cstring>
#include <filesystem>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

std::vector<std::pair<int64_t, int64_t>> channels_of(const RotaryLayout& layout) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const RotaryWindow& window : layout.windows) {
    for (int64_t i = 0; i < window.dim / 2; ++i) {
      const bool half = window.pairing == Pairing::half_split;
      const int64_t a = window.offset + (half ? i : 2 * i);
      pairs.emplace_back(a, half ? a + window.dim / 2 : a + 1);
    }
  }
  return pairs;
}

int64_t ulps(float a, float b) {
  int32_t x = 0, y = 0;
  std::memcpy(&x, &a, 4);
  std::memcpy(&y, &b, 4);
  return std::abs(int64_t{x} - int64_t{y});
}

ModelEncoding model_of(const ordered_json& item) {
  const std::string name = item.at("name").get<std::string>();
  if (item.contains("config")) return read_model_config(item.at("config").dump(), name);
  return read_model(std::filesystem::path(ROPEWALK_TESTDATA) / "models" / name);
}

const RopeConfig* rope_of_item(const ModelEncoding& model, const ordered_json& item) {
  if (!item.at("layers").empty()) {
    return std::get_if<RopeConfig>(
        &model.layers.at(item.at("layers").at(0).get<size_t>()).positions);
  }
  for (const PositionEncoding& layer : layer_positions(model)) {
    if (const auto* rope = std::get_if<RopeConfig>(&layer)) return rope;
  }
  return nullptr;
}

// The rotation in double arithmetic, compared channel by channel. `angle_roundings`: how often the
// reference rounds an angle to float32, its frequency included; 0 where it computes in float64.
void expect_rotation(double angle_roundings, const RopeConfig& rope, const Spectrum& spectrum,
                     const ordered_json& item, std::span<const float> q,
                     std::span<const float> q_out) {
  const auto from = channels_of(rope.layout);
  const auto to = channels_of(rope.output_layout.value_or(rope.layout));
  const auto positions = item.at("positions").get<std::vector<std::vector<int64_t>>>();
  const auto dim = static_cast<size_t>(rope.layout.head_dim);
  for (size_t s = 0; s < 3; ++s) {
    const float* x = q.data() + 1024 * s;
    std::vector<double> y(x, x + dim), slack(dim, 0);
    for (size_t i = 0; i < from.size(); ++i) {
      const auto axis = static_cast<size_t>(spectrum.axis[i]);
      const double angle = static_cast<double>(positions.at(axis).at(s)) * spectrum.inv_freq[i];
      const double u = x[from[i].first], v = x[from[i].second];
      const double scale = spectrum.attention_scaling;
      y[static_cast<size_t>(to[i].first)] = scale * (u * std::cos(angle) - v * std::sin(angle));
      y[static_cast<size_t>(to[i].second)] = scale * (v * std::cos(angle) + u * std::sin(angle));
      const double tolerance =
          testing::rotation_float32(angle_roundings * angle) * scale * std::hypot(u, v);
      slack[static_cast<size_t>(to[i].first)] = slack[static_cast<size_t>(to[i].second)] =
          tolerance;
    }
    for (size_t channel = 0; channel < dim; ++channel) {
      ASSERT_NEAR(y[channel], q_out[dim * s + channel], slack[channel])
          << "row " << s << " channel " << channel;
    }
  }
}

// Diffusion models and vision towers.
TEST(Reference, SeveralAxesTurnAsTheirOwnCode) {
  const testing::Fixture fixture("axes");
  for (const ordered_json& item : fixture.info().at("items")) {
    const std::string key = item.at("name").get<std::string>();
    SCOPED_TRACE(key + item.at("config").dump());
    ModelEncoding model;
    ASSERT_NO_THROW(model = model_of(item));
    const RopeConfig* rope = rope_of_item(model, item);
    ASSERT_NE(rope, nullptr);
    ASSERT_EQ(rope->layout.head_dim, item.at("head_dim").get<int64_t>());
    // Z-Image rounds its float64 angle to float32.
    const bool rounds = key.starts_with("ZImage");
    expect_rotation(rope->inv_freq_dtype == DType::f64 ? (rounds ? 1 : 0) : 5, *rope,
                    make_spectrum(*rope), item, fixture.f32("q"), fixture.f32(key + "/q_out"));
  }
  EXPECT_GE(fixture.info().at("items").size(), 60u);
}

TEST(Reference, EveryConfigTurnsAsItsOwnCode) {
  const testing::Fixture fixture("models");
  size_t worst = 0, compared = 0;
  for (const ordered_json& item : fixture.info().at("items")) {
    const std::string key =
        item.at("name").get<std::string>() + "/" + item.at("kind").get<std::string>();
    SCOPED_TRACE(key);
    ModelEncoding model;
    ASSERT_NO_THROW(model = model_of(item));
    const RopeConfig* rope = rope_of_item(model, item);
    ASSERT_NE(rope, nullptr);
    ASSERT_EQ(rope->layout.head_dim, item.at("head_dim").get<int64_t>());
    const Spectrum spectrum = make_spectrum(*rope);
    EXPECT_NEAR(spectrum.attention_scaling, item.at("attention_scaling").get<double>(), 1e-6);
    const std::span<const float> inv_freq = fixture.f32(key + "/inv_freq");
    ASSERT_EQ(spectrum.inv_freq.size(), inv_freq.size());
    // ERNIE keeps its list in the order of the axes.
    const bool ordered = rope->mrope_order != MropeOrder::height_width_first;
    for (size_t i = 0; ordered && i < inv_freq.size(); ++i) {
      const auto ours = static_cast<float>(std::abs(spectrum.inv_freq[i]));
      const auto off = static_cast<size_t>(ulps(ours, inv_freq[i]));
      // torch's vectorised pow is off by 1 ULP in some entries; a ramp doubles it.
      EXPECT_LE(off, 2u) << "pair " << i << " " << ours << " " << inv_freq[i];
      worst = std::max(worst, off);
    }
    // A frequency may be off by 2 ULP, as above, beside the float32 angle.
    expect_rotation(5, *rope, spectrum, item, fixture.f32("q"), fixture.f32(key + "/q_out"));
    ++compared;
  }
  RecordProperty("worst_ulp", static_cast<int>(worst));
  EXPECT_GE(compared, 190u);
}

}  // namespace
}  // namespace ropewalk
