// Moving the rows of q and k and the pairs together changes no output: whole layers of 161 types,
// as the models' own classes computed them (testdata/reference/attention), with the rows of their
// checkpoints moved to the other pairing.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <variant>

#include <gtest/gtest.h>

#include "ropewalk/attention/self_attention.h"
#include "ropewalk/base/error.h"
#include "ropewalk/encoding/layout_permutation.h"
#include "ropewalk/models/models.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/temp_folder.h"
#include "ropewalk/testing/tolerance.h"
#include "ropewalk/weights/layer_weights.h"
#include "ropewalk/weights/permute_qk.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;
using testing::Fixture;

const fs::path kFolder = fs::path(ROPEWALK_TESTDATA) / "reference" / "attention";

Pairing other(Pairing pairing) {
  return pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
}

// The model whose pairs are the other kind; the layers that the file does not keep turn nothing.
ModelEncoding turned(ModelEncoding model, const std::set<int64_t>& kept) {
  for (int64_t i = 0; i < std::ssize(model.layers); ++i) {
    PositionEncoding& positions = model.layers[static_cast<size_t>(i)].positions;
    auto* rope = std::get_if<RopeConfig>(&positions);
    if (rope == nullptr) continue;
    if (!kept.contains(i)) {
      positions = NoEncoding{};
      continue;
    }
    rope->output_layout.reset();
    for (RotaryWindow& window : rope->layout.windows) window.pairing = other(window.pairing);
  }
  return model;
}

double error_of(const Tensor& ours, const Fixture& fixture, const std::string& name) {
  const auto* numbers = reinterpret_cast<const float*>(ours.bytes.data());
  const auto* keep = static_cast<const uint8_t*>(fixture.view("fixture.attention_mask").data);
  const auto y = fixture.f32(name);
  const size_t hidden = static_cast<size_t>(ours.shape[2]);
  double error = 0, largest = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    if (!keep[i / hidden]) continue;
    const double off = std::abs(static_cast<double>(numbers[i]) - y[i]);
    error = off <= error ? error : off;  // a NaN stays
    largest = std::max(largest, std::abs(static_cast<double>(y[i])));
  }
  return error / largest;
}

Tensor forwarded(const fs::path& weights_file, const Fixture& fixture, const ModelEncoding& model,
                 int64_t number) {
  const LayerWeights weights = read_layer_weights(weights_file, model, number);
  SelfAttentionOptions options{.key_mask = fixture.view("fixture.attention_mask")};
  if (fixture.contains("fixture.prefix")) options.prefix = fixture.i64("fixture.prefix");
  const ConstTensorView x = fixture.view("fixture.x." + std::to_string(number));
  Tensor y = make_tensor(DType::f32, x.shape);
  forward({model.layers[static_cast<size_t>(number)], views_of(weights)}, x,
          positions_of(fixture.view("fixture.position_ids")), y.view(), options);
  return y;
}

TEST(PermutedLayers, TheSameOutputWithTheOtherPairs) {
  const TempFolder folder;
  std::set<std::string> types, refused;
  size_t moved_layers = 0, alike = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().stem().string();
    const Fixture fixture("attention/" + name);
    const auto& info = fixture.info();
    if (info.at("config").is_null()) continue;
    SCOPED_TRACE(name);
    const ModelEncoding model = read_model_config(info.at("config").dump(), "config.json");
    std::set<int64_t> kept;
    for (const auto& item : info.at("layers")) kept.insert(item.at("layer").get<int64_t>());
    const ModelEncoding goal = turned(model, kept);
    const std::vector<RotaryLayout> from = layouts_of(model), to = layouts_of(goal);
    const fs::path moved = folder / "moved.safetensors", back = folder / "back.safetensors";
    try {
      const PermutePlan plan = plan_permutation(entry.path(), goal, from, to);
      write_permuted_file(plan, 0, moved, Overwrite::replace);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
      refused.insert(model.model_type);
      continue;
    }
    write_permuted_file(plan_permutation(moved, goal, to, from), 0, back, Overwrite::replace);
    ASSERT_TRUE(file_bytes(back) == file_bytes(entry.path())) << "the inverse restores every byte";
    // A single pair is both kinds.
    if (file_bytes(moved) == file_bytes(entry.path())) {
      ++alike;
      continue;
    }
    for (const int64_t number : kept) {
      const Layer& layer = goal.layers.at(static_cast<size_t>(number));
      if (!std::holds_alternative<RopeConfig>(layer.positions)) continue;
      if (layer.mixer != Mixer::attention || !layer.attention.not_computed.empty()) continue;
      const std::string y = "fixture.y." + std::to_string(number);
      if (!fixture.contains(y)) continue;
      EXPECT_LE(error_of(forwarded(moved, fixture, goal, number), fixture, y), testing::kLayer)
          << "layer " << number;
      ++moved_layers;
      types.insert(model.model_type);
    }
  }
  EXPECT_GE(moved_layers, 200U);
  EXPECT_GE(types.size(), 130U);
  EXPECT_LE(alike, 10U);
  EXPECT_LE(refused.size(), 25U) << ::testing::PrintToString(refused);
}

}  // namespace
}  // namespace ropewalk
