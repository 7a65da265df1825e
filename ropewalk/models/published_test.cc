// Over the rope keys of every published config in testdata/models.

#include <filesystem>
#include <fstream>

#include "ropewalk/formats/file.h"
#include "ropewalk/models/configs_testing.h"
#include "ropewalk/models/family.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

const std::filesystem::path kFolder = std::filesystem::path(ROPEWALK_TESTDATA) / "models";

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ordered_json json_of(const std::string& name, const char* file = "config.json") {
  return ordered_json::parse(read_text(kFolder / name / file, 1 << 20));
}

bool computed(const ModelEncoding& model) {
  for (const PositionEncoding& layer : layer_positions(model)) {
    if (!std::holds_alternative<NoEncoding>(layer)) return true;
  }
  return !model.others.empty();
}

TEST(Published, EachIsRead) {
  const std::vector<std::string> names = published_names();
  EXPECT_GE(names.size(), 85u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const ModelEncoding model = read_model(kFolder / name);
    EXPECT_TRUE(computed(model));
    for (const PositionEncoding& layer : layer_positions(model)) {
      if (const auto* rope = std::get_if<RopeConfig>(&layer)) check_layout(rope->layout);
    }
  }
}

// The part of a model of several that its config_v5.json is about has no others.
TEST(Published, BothDialectsSayTheSame) {
  size_t pairs = 0;
  for (const std::string& name : published_names()) {
    if (!std::filesystem::exists(kFolder / name / "config_v5.json")) continue;
    SCOPED_TRACE(name);
    ModelEncoding old_words = without_words(read_model(kFolder / name));
    const std::string text = read_text(kFolder / name / "config_v5.json", 1 << 20);
    ModelEncoding new_words = without_words(read_model_config(text, "config_v5.json"));
    if (json_of(name).contains("vision_config")) old_words.others.clear();
    EXPECT_EQ(old_words.layers, new_words.layers);
    EXPECT_EQ(old_words.others, new_words.others);
    EXPECT_EQ(old_words.heads, new_words.heads);
    EXPECT_EQ(old_words.kv_heads, new_words.kv_heads);
    EXPECT_EQ(old_words.max_positions, new_words.max_positions);
    ++pairs;
  }
  EXPECT_GE(pairs, 60u);
}

ordered_json mutated(const ordered_json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>() * 2 + (value == 0 ? 1 : 0);
  if (value.is_number()) return value.get<double>() * 0.5;
  if (value.is_string()) return value.get<std::string>() + "x";
  if (value.is_array() && !value.empty() && value.front().is_number_integer()) {
    ordered_json other = value;
    other.front() = value.front() == 0 ? 1 : 0;
    return other;
  }
  return "mutated";
}

// "model pointer": keys that are read and, changed alone, change no computed field, and why.
const std::map<std::string, std::string, std::less<>> kCountsWithOthers = {
    {"chatglm-6b /bos_token_id", "which rule the ids follow: chatglm_positions sees bos itself"},
    {"falcon-40b /multi_query", "new_decoder_architecture is true, where num_kv_heads counts"},
    {"falcon-rw-1b /new_decoder_architecture", "it has no num_kv_heads, and as many by default"},
    {"qwen2-7b /max_window_layers", "use_sliding_window is false"},
    {"qwen2-7b /use_sliding_window", "max_window_layers is the number of layers: none has one"},
    {"qwen2.5-7b-yarn /use_sliding_window", "the same"},
    {"qwen3-8b /use_sliding_window", "sliding_window is null"},
};

// What counts of a model: what is computed with. Evidence is words.
bool differs(const ordered_json& config, const ModelEncoding& model) {
  try {
    const ModelEncoding other = read(config);
    return without_words(other) != without_words(model);
  } catch (const Error&) {
    return true;
  }
}

// Every key that the evidence names changes a computed field.
TEST(Published, EachUsedKeyCounts) {
  size_t used = 0;
  for (const std::string& name : published_names()) {
    const ordered_json config = json_of(name);
    const ModelEncoding model = read(config);
    const ordered_json flat = config.flatten();
    for (const Evidence& fact : model.evidence) {
      const std::string prefix = "config.json: ";
      if (!fact.source.starts_with(prefix)) continue;
      const std::string pointer = fact.source.substr(prefix.size());
      if (pointer.find(',') != std::string::npos || pointer.ends_with("/0")) continue;
      ordered_json other = config;
      ordered_json& value = other[ordered_json::json_pointer(pointer)];
      value = mutated(value);
      // An unknown type is told by the class.
      if (pointer.ends_with("/model_type")) {
        const std::string object = pointer.substr(0, pointer.size() - 11);
        other[ordered_json::json_pointer(object)].erase("architectures");
      }
      const bool excused = kCountsWithOthers.contains(name + " " + pointer);
      EXPECT_NE(differs(other, model), excused) << name << " " << pointer << " " << value.dump();
      ++used;
    }
  }
  EXPECT_GE(used, 600u);
}

// A key of a rope block that is not named by the evidence leaves a warning.
TEST(Published, EachOtherKeyOfABlockIsReported) {
  for (const std::string& name : published_names()) {
    ordered_json config = json_of(name);
    for (const char* block : {"rope_scaling", "rope_parameters"}) {
      if (!config.contains(block) || !config[block].is_object() || config[block].empty()) continue;
      config[block]["mystery"] = 1;
      EXPECT_THAT(read(config).warnings,
                  testing::Contains(std::string("/") + block + "/mystery is 1, and not used"))
          << name;
    }
  }
}

}  // namespace
}  // namespace ropewalk
