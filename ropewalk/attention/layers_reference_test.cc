// Whole attention layers as the models' own classes compute them: config.json in, weights under the
// checkpoint's names in, what the layer gives out. testdata/reference/attention has one file for
// each class (or for a choice that a key of its config makes), made by
// tools/reference/make_attention_layer_fixtures.py.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "ropewalk/attention/heads.h"
#include "ropewalk/attention/self_attention.h"
#include "ropewalk/base/error.h"
#include "ropewalk/models/models.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tolerance.h"
#include "ropewalk/weights/layer_weights.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using testing::Fixture;

const fs::path kFolder = fs::path(ROPEWALK_TESTDATA) / "reference" / "attention";

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Baichuan's sizes are in its config only, which is too large to keep weights for.
ModelEncoding model_of(const ordered_json& info) {
  if (!info.at("config").is_null()) {
    return read_model_config(info.at("config").dump(), "config.json");
  }
  ModelEncoding model;
  model.model_type = info.at("model_type").get<std::string>();
  model.hidden_size = info.at("hidden_size").get<int64_t>();
  Layer layer;
  layer.heads = layer.kv_heads = info.at("num_attention_heads").get<int64_t>();
  layer.head_dim = layer.value_dim = model.hidden_size / layer.heads;
  if (info.at("encoding") == "alibi") {
    layer.positions = AlibiConfig{.heads = layer.heads, .form = AlibiForm::key_position};
  } else {
    layer.positions =
        RopeConfig{.rotary_dim = layer.head_dim,
                   .layout = {layer.head_dim, {{0, layer.head_dim, Pairing::half_split}}}};
  }
  model.layers.assign(8, layer);
  return model;
}

// The largest |y - ours| over rows of tokens that are there, beside the largest |y|.
double error_of(std::span<const float> ours, std::span<const float> y, const uint8_t* keep,
                size_t hidden) {
  double error = 0, largest = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    if (!keep[i / hidden]) continue;
    const double off = std::abs(static_cast<double>(ours[i]) - y[i]);
    error = off <= error ? error : off;  // a NaN stays
    largest = std::max(largest, std::abs(static_cast<double>(y[i])));
  }
  return error / largest;
}

std::vector<float> forwarded(const std::string& name, const Fixture& fixture,
                             const ModelEncoding& model, int64_t number, const std::string& x,
                             const std::string& ids) {
  const Layer& layer = model.layers.at(static_cast<size_t>(number));
  const LayerWeights weights = read_layer_weights(kFolder / (name + ".safetensors"), model, number);
  EXPECT_EQ(weights.unused, std::vector<std::string>{});
  SelfAttentionOptions options{.key_mask = fixture.view("fixture.attention_mask")};
  if (fixture.contains("fixture.prefix")) {
    options.prefix = fixture.i64("fixture.prefix");
  }
  const ConstTensorView input = fixture.view(x);
  Tensor y = make_tensor(DType::f32, input.shape);
  forward({layer, views_of(weights)}, input, positions_of(fixture.view(ids)), y.view(), options);
  const auto* data = reinterpret_cast<const float*>(y.bytes.data());
  return {data, data + y.bytes.size() / sizeof(float)};
}

// Whose tensors' names are not known: their attention is part of a larger module, or of two stacks.
const std::set<std::string> kWithoutNames = {"hrm_text", "moshi"};

// Types that attend refuses by name, and for what.
bool is_refused(const ModelEncoding& model, int64_t layer) {
  const Layer& of = model.layers.at(static_cast<size_t>(layer));
  return of.mixer != Mixer::attention || !of.attention.not_computed.empty();
}

class LayersReference : public ::testing::TestWithParam<std::string> {};

TEST_P(LayersReference, AsTheModelsOwnClass) {
  const std::string name = GetParam();
  const Fixture fixture("attention/" + name);
  const ordered_json& info = fixture.info();
  ModelEncoding model;
  ASSERT_NO_THROW(model = model_of(info)) << info.at("config").dump();
  const auto* keep = static_cast<const uint8_t*>(fixture.view("fixture.attention_mask").data);
  for (const ordered_json& item : info.at("layers")) {
    const auto number = item.at("layer").get<int64_t>();
    SCOPED_TRACE("layer " + std::to_string(number) + " " + item.value("kind", "") + " " +
                 info.at("config").dump());
    if (is_refused(model, number)) {
      EXPECT_THROW(check_computed(model.layers.at(static_cast<size_t>(number))), Error);
      continue;
    }
    if (kWithoutNames.contains(name)) {
      EXPECT_THROW(read_layer_weights(kFolder / (name + ".safetensors"), model, number), Error);
      continue;
    }
    for (const std::string run : {"", "far."}) {
      const std::string x = "fixture." + run + "x." + std::to_string(number);
      if (!fixture.contains(x)) continue;
      const std::string y = "fixture." + run + "y." + std::to_string(number);
      std::vector<float> ours;
      ASSERT_NO_THROW(
          ours = forwarded(name, fixture, model, number, x, "fixture." + run + "position_ids"));
      const auto hidden = static_cast<size_t>(fixture.view(x).shape[2]);
      EXPECT_LE(error_of(ours, fixture.f32(y), keep, hidden), testing::kLayer) << run;
    }
  }
}

// How much of that is a comparison, and not a refusal.
TEST(LayersReferenceCount, MostAreComputed) {
  size_t layers = 0;
  std::set<std::string> types;
  for (const std::string& name : cases()) {
    if (kWithoutNames.contains(name)) continue;
    const Fixture fixture("attention/" + name);
    const ModelEncoding model = model_of(fixture.info());
    for (const ordered_json& item : fixture.info().at("layers")) {
      if (is_refused(model, item.at("layer").get<int64_t>())) continue;
      ++layers;
      types.insert(model.model_type);
    }
  }
  EXPECT_GE(layers, 241u);
  EXPECT_GE(types.size(), 150u);
}

INSTANTIATE_TEST_SUITE_P(Classes, LayersReference, ::testing::ValuesIn(cases()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name) {
                             c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace ropewalk
