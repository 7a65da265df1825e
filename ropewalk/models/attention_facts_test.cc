// What a layer does to its scores, beside what transformers' own classes do: heads, scale, norms,
// masks at full size, of every layer of the published configs and of the class defaults.
// testdata/reference/attention_facts.json, made by tools/reference/make_attention_facts.py.

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/testing/fixture.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

const std::filesystem::path kModels = std::filesystem::path(ROPEWALK_TESTDATA) / "models";

// The configs of "default of <type>", which transformers wrote.
std::map<std::string, ordered_json> written_configs() {
  std::map<std::string, ordered_json> configs;
  const testing::Fixture fixture("models");
  for (const ordered_json& item : fixture.info().at("items")) {
    if (item.contains("config")) configs.emplace(item.at("name"), item.at("config"));
  }
  return configs;
}

ordered_json value_or_null(const ordered_json& object, const char* key) {
  return object.contains(key) ? object.at(key) : ordered_json();
}

// A norm of the fixture as to_json writes ours.
ordered_json norm_of(const ordered_json& theirs, bool of_q_and_k) {
  if (theirs.is_null()) return {};
  ordered_json norm = {{"kind", theirs.at("kind")}, {"extent", theirs.value("extent", "head")}};
  // In a layer that does not rotate the place is no matter, and ours says before.
  const bool after = theirs.value("place", "before") == "after";
  if (of_q_and_k) norm["place"] = after ? "after_rotation" : "before_rotation";
  norm["eps"] = theirs.value("eps", 0.0);
  norm["weights"] = theirs.value("weights", true);
  norm["unit_offset"] = theirs.value("unit_offset", false);
  return norm;
}

ordered_json query_scale_of(const ordered_json& theirs) {
  if (theirs.is_null()) return {};
  const bool llama4 = theirs.at("rule") == "llama4";
  return {{"rule", "log_floor"},
          {"beta", theirs.at(llama4 ? "attn_scale" : "beta")},
          {"length", theirs.at(llama4 ? "floor_scale" : "original")},
          {"offset", llama4 ? 1 : 0}};
}

// What the fixture says of a layer, in the words of to_json(Layer).
ordered_json expected(const ordered_json& theirs) {
  ordered_json layer = {{"mixer", theirs.at("mixer")}};
  if (theirs.at("mixer") != "attention") return layer;
  for (const char* key : {"heads", "kv_heads", "head_dim", "value_dim"}) {
    layer[key] = theirs.at(key);
  }
  ordered_json attention;
  attention["softmax_scale"] =
      theirs.at("softmax_scale").get<double>() * theirs.value("query_multiplier", 1.0);
  attention["qk_norm"] = norm_of(value_or_null(theirs, "norm"), true);
  attention["v_norm"] = norm_of(value_or_null(theirs, "v_norm"), false);
  attention["mask"] = theirs.at("mask");
  for (const char* key : {"window_left", "window_right", "chunk", "softcap", "clip_qkv"}) {
    attention[key] = value_or_null(theirs, key);
  }
  attention["sinks"] = theirs.value("sinks", false);
  attention["query_scale"] = query_scale_of(value_or_null(theirs, "query_scale"));
  attention["value_multiplier"] = theirs.value("value_multiplier", 1.0);
  layer["attention"] = attention;
  return layer;
}

bool same(const ordered_json& a, const ordered_json& b) {
  if (!a.is_number_float() && !b.is_number_float()) return a == b;
  if (!a.is_number() || !b.is_number()) return false;
  return std::abs(a.get<double>() - b.get<double>()) <= 1e-12 * std::abs(a.get<double>());
}

// "softmax_scale 0.1, found 0.2", for each field of `theirs` that is another in `ours`.
std::string differences(const ordered_json& theirs, const ordered_json& ours) {
  std::string text;
  for (const auto& [key, value] : theirs.items()) {
    const ordered_json& other = ours.at(key);
    if (value.is_object() && other.is_object()) {
      text += differences(value, other);
    } else if (!same(value, other)) {
      text += fmt::format("{} {}, found {}; ", key, value.dump(), other.dump());
    }
  }
  return text;
}

// What attend refuses by name may be told in other words.
bool is_compared(const Layer& layer) { return layer.attention.not_computed.empty(); }

// The stack that the encoding speaks of, of a model with several: the decoder, or the first.
bool is_main_stack(const ordered_json& kind, const ordered_json& item) {
  const auto stack = [](const ordered_json& of) {
    return of.value("stack", "layers") + "/" + of.value("module", "");
  };
  std::string main = stack(item.at("kinds").front());
  for (const ordered_json& other : item.at("kinds")) {
    const bool attends = other.at("mixer") == "attention";
    if (attends && stack(other).starts_with("decoder")) main = stack(other);
  }
  return stack(kind) == main;
}

TEST(AttentionFacts, AsTransformersHasThem) {
  const auto written = written_configs();
  const ordered_json fixture = testing::json_fixture("attention_facts");
  size_t compared = 0;
  for (const auto& [name, item] : fixture.at("items").items()) {
    const bool of_class = name.starts_with("default of ");
    if (of_class && !written.contains(name)) continue;
    SCOPED_TRACE(name);
    ModelEncoding model;
    ASSERT_NO_THROW(model = of_class ? read_model_config(written.at(name).dump(), name)
                                     : read_model(kModels / name));
    for (const ordered_json& kind : item.at("kinds")) {
      if (!is_main_stack(kind, item)) continue;
      const auto first = kind.at("layers").front().front().get<size_t>();
      if (first >= model.layers.size()) continue;
      const Layer& layer = model.layers[first];
      if (!is_compared(layer)) continue;
      EXPECT_EQ(differences(expected(kind), to_json(layer)), "") << "layer " << first;
      ++compared;
    }
  }
  EXPECT_GE(compared, 190u);
}

}  // namespace
}  // namespace ropewalk
