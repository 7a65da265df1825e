#include "ropewalk/models/models.h"

#include <algorithm>
#include <filesystem>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path published(const std::string& name) {
  return std::filesystem::path(ROPEWALK_TESTDATA) / "models" / name;
}

TEST(Presets, Names) {
  EXPECT_THAT(preset_names(),
              ElementsAre("llama-2-7b", "llama-3-8b", "baichuan-7b", "baichuan-13b", "chatglm-6b",
                          "chatglm2-6b", "chatglm3-6b", "glm-4-9b-chat"));
}

TEST(Presets, EvidenceNamesThePreset) {
  EXPECT_EQ(source_of(preset("llama-3-8b"), "rope_theta"), "preset llama-3-8b: /rope_theta");
  EXPECT_EQ(preset("llama-3-8b").name, "llama-3-8b");
}

// The whole published file says what its preset says, field by field.
TEST(Presets, AreThePublishedFiles) {
  for (const std::string& name : preset_names()) {
    const ModelEncoding from_file = read_model(published(name));
    ModelEncoding expected = preset(name);
    EXPECT_EQ(without_words(from_file), without_words(expected)) << name;
    EXPECT_EQ(from_file.warnings, expected.warnings) << name;
    ASSERT_EQ(from_file.evidence.size(), expected.evidence.size()) << name;
    for (size_t i = 0; i < expected.evidence.size(); ++i) {
      EXPECT_EQ(from_file.evidence[i].field, expected.evidence[i].field);
      EXPECT_EQ(from_file.evidence[i].value, expected.evidence[i].value);
    }
    EXPECT_EQ(read_model(published(name) / "config.json"), from_file);
  }
}

TEST(Presets, UnknownName) {
  EXPECT_ROPEWALK_ERROR(preset("llama-2-7B"), ErrorCode::invalid_argument,
                        "\"llama-2-7B\": expected one of llama-2-7b, llama-3-8b, ");
  EXPECT_ROPEWALK_ERROR(preset("llama-2-7B"), ErrorCode::invalid_argument,
                        "; did you mean \"llama-2-7b\"?");
}

// Every key that the evidence names changes the model or is refused when it changes; every other
// key changes nothing.
ordered_json mutated(const ordered_json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>() * 2;
  if (value.is_number()) return value.get<double>() * 2;
  if (value.is_string()) return value.get<std::string>() + "x";
  if (value.is_null()) return ordered_json();
  return ordered_json::array({"x"});
}

bool changes_model(const ordered_json& config, const ModelEncoding& model) {
  try {
    return without_words(read(config)) != without_words(model) ||
           read(config).evidence != model.evidence;
  } catch (const Error&) {
    return true;
  }
}

TEST(Mutation, EachUsedKeyCounts) {
  for (const std::string& name : preset_names()) {
    const ordered_json config = ordered_json::parse(file_bytes(published(name) / "config.json"));
    const ModelEncoding model = read(config);
    for (const auto& [key, value] : config.items()) {
      bool used = false;
      for (const Evidence& fact : model.evidence) {
        const std::string& source = fact.source;
        used = used || source.ends_with("config.json: /" + key);
      }
      // A check of bos_token_id, not a fact of its own.
      if (key == "vocab_size") continue;
      ordered_json other = config;
      other[key] = mutated(value);
      if (other == config) continue;
      EXPECT_EQ(changes_model(other, model), used) << name << " " << key;
    }
  }
}

TEST(ReadModel, MissingKeysAreNamed) {
  for (const std::string& name : preset_names()) {
    for (const char* key : {"hidden_size", "num_attention_heads"}) {
      EXPECT_ROPEWALK_ERROR(read(config_without(name, key)), ErrorCode::malformed,
                            std::string("config.json: /") + key + ": expected an integer in 1..");
      EXPECT_ROPEWALK_ERROR(read(config_with(name, key, "null")), ErrorCode::malformed,
                            "found null");
    }
  }
}

TEST(ReadModel, C01_Files) {
  const TempFolder folder;
  EXPECT_ROPEWALK_ERROR(read_model(folder / "none.json"), ErrorCode::io, "none.json");
  EXPECT_ROPEWALK_ERROR(read_model(folder.path()), ErrorCode::unsupported,
                        "expected a config.json, params.json or GGUF, found none in the folder");
  EXPECT_ROPEWALK_ERROR(read_model(folder.file("config.json", "")), ErrorCode::malformed,
                        "config.json");
}

TEST(ReadModel, C09_LargeFile) {
  const TempFolder folder;
  const auto path = folder.file("config.json", "{}");
  std::filesystem::resize_file(path, (uint64_t{64} << 20) + 1);  // sparse
  EXPECT_ROPEWALK_ERROR(read_model(path), ErrorCode::resource_limit, "67108864");
  EXPECT_ROPEWALK_ERROR(read_model_config(std::string((64 << 20) + 1, ' '), "c"),
                        ErrorCode::resource_limit, "c: expected at most 67108864 bytes");
}

TEST(LoadModel, PathBeforePreset) {
  const TempFolder folder;
  EXPECT_EQ(load_model("chatglm3-6b"), preset("chatglm3-6b"));
  EXPECT_EQ(load_model(published("chatglm3-6b").string()), read_model(published("chatglm3-6b")));
  EXPECT_ROPEWALK_ERROR(load_model("no/such/llama-2-7b"), ErrorCode::io, "no/such/llama-2-7b");
  EXPECT_ROPEWALK_ERROR(load_model("confg.json"), ErrorCode::io, "confg.json");
  EXPECT_ROPEWALK_ERROR(load_model("llama-7b"), ErrorCode::invalid_argument,
                        "\"llama-7b\": expected a config.json, GGUF, "
                        "params.json, the folder of one, or one of llama-2-7b");
}

TEST(Families, List) {
  std::vector<std::string> names;
  size_t computed = 0;
  for (const FamilyInfo& family : families()) {
    for (const TypeInfo& type : family.types) {
      names.push_back(type.name);
      EXPECT_FALSE(type.encoding.empty()) << type.name;
      computed += type.encoding.find("refused") == std::string::npos && type.part.empty();
    }
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());  // each once
  EXPECT_GE(computed, 120u);
  EXPECT_EQ(families()[0].name, "llama");
  EXPECT_THAT(families()[0].presets, ElementsAre("llama-2-7b", "llama-3-8b"));
}

// A preset is a file too.
TEST(LoadModel, AssumesTheTypeOfAPresetToo) {
  const ModelEncoding model = load_model("llama-3-8b", "cohere");
  EXPECT_EQ(model.family, "cohere");
  EXPECT_EQ(std::get<RopeConfig>(model.layers[0].positions).layout.windows[0].pairing,
            Pairing::interleaved);
  EXPECT_ROPEWALK_ERROR(load_model("llama-3-8b", "nothing"), ErrorCode::invalid_argument,
                        "expected a model_type that ropewalk models lists, found \"nothing\"");
}

TEST(RopeKeys, ABlockThatSpeaksForOtherLayersIsNotCalledAbsent) {
  const ModelEncoding flat = read(
      small_config("gemma3_text", R"({"rope_scaling": {"rope_type": "linear", "factor": 8.0}})"));
  EXPECT_EQ(source_of(flat, "sliding_attention rope_type"),
            "default: /rope_scaling speaks for other kinds of layers");
  const ModelEncoding nested = read(small_config(
      "gemma3_text", R"({"rope_parameters": {"full_attention": {"rope_type": "default"}}})"));
  EXPECT_EQ(source_of(nested, "sliding_attention rope_type"),
            "default: /rope_parameters/sliding_attention is absent");
}

}  // namespace
}  // namespace ropewalk
