// One model in each of its files: the config.json of Hugging Face, the GGUF that llama.cpp's
// converter makes of it (tools/reference/make_gguf_fixtures.py) and the params.json of the weights
// in their publisher's own format.

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ropewalk/encoding/to_json.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/gguf.h"
#include "ropewalk/models/configs_testing.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/gguf_model.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

const std::filesystem::path kTestdata = ROPEWALK_TESTDATA;

// What the converter leaves out of a GGUF or changes.
const std::map<std::string, std::string> kLost = {
    {"chatglm-6b", "taken for a ChatGLM2: one axis of positions, half of the head"},
    {"falcon-rw-1b", "nothing says ALiBi: a Falcon of llama.cpp always rotates"},
};
const std::map<std::string, std::string> kLostHeads = {
    {"falcon-7b", "num_kv_heads 71 is written although multi_query is true"},
};

// Where llama.cpp itself, or what a GGUF can say, is another than the model's own code.
const std::map<std::string, std::string> kOtherFacts = {
    {"mistral-7b-v0.1", "the converter writes no window: to llama.cpp it is a llama"},
    {"starcoder2-7b", "the converter writes no window"},
    {"qwen-7b", "a GGUF has no key for logn, and llama.cpp does not scale q"},
    {"falcon-7b", "num_kv_heads 71 is written although multi_query is true"},
};

std::vector<std::string> folders_with(const char* file) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kTestdata / "models")) {
    if (std::filesystem::exists(entry.path() / file)) {
      names.push_back(entry.path().filename().string());
    }
  }
  return names;
}

// Channels of the window and its place, whatever the pairing.
void expect_same_channels(const RotaryLayout& a, const RotaryLayout& b) {
  EXPECT_EQ(a.head_dim, b.head_dim);
  ASSERT_EQ(a.windows.size(), b.windows.size());
  for (size_t i = 0; i < a.windows.size(); ++i) {
    EXPECT_EQ(a.windows[i].offset, b.windows[i].offset);
    EXPECT_EQ(a.windows[i].dim, b.windows[i].dim);
  }
}

// The frequencies of two configs, to the float32 in which a GGUF keeps its numbers.
void expect_same_spectrum(const RopeConfig& a, const RopeConfig& b, int64_t seq_len) {
  const Spectrum x = make_spectrum(a, seq_len), y = make_spectrum(b, seq_len);
  ASSERT_EQ(x.inv_freq.size(), y.inv_freq.size());
  for (size_t i = 0; i < x.inv_freq.size(); ++i) {
    EXPECT_NEAR(x.inv_freq[i], y.inv_freq[i], 0x1p-22 * std::abs(x.inv_freq[i])) << "pair " << i;
  }
  EXPECT_EQ(x.axis, y.axis);
  EXPECT_NEAR(x.attention_scaling, y.attention_scaling, 1e-6);
}

void expect_same_layers(const ModelEncoding& a, const ModelEncoding& b, Pairing pairing) {
  ASSERT_EQ(a.layers.size(), b.layers.size());
  for (size_t i = 0; i < a.layers.size(); ++i) {
    ASSERT_EQ(a.layers[i].positions.index(), b.layers[i].positions.index()) << "layer " << i;
    const auto* rope = std::get_if<RopeConfig>(&a.layers[i].positions);
    if (rope == nullptr) {
      PositionEncoding theirs = b.layers[i].positions;
      const auto* alibi = std::get_if<AlibiConfig>(&a.layers[i].positions);
      // llama.cpp counts distances: a number for each query, which the softmax does not see.
      if (alibi != nullptr && alibi->form == AlibiForm::key_position) {
        std::get<AlibiConfig>(theirs).form = AlibiForm::key_position;
      }
      EXPECT_TRUE(a.layers[i].positions == theirs) << "layer " << i;
      continue;
    }
    const auto& other = std::get<RopeConfig>(b.layers[i].positions);
    expect_same_channels(rope->layout, other.layout);
    for (const RotaryWindow& window : other.layout.windows) EXPECT_EQ(window.pairing, pairing);
    EXPECT_FALSE(other.output_layout.has_value());
    expect_same_spectrum(*rope, other, 0);
    // A GGUF has no key for a base that grows with the sequence.
    const std::set<std::string> growing = {"dynamic", "qwen_dynamic"};
    if (!growing.contains(rope->rope_type)) expect_same_spectrum(*rope, other, 1 << 20);
  }
}

Pairing gguf_pairing(const ModelEncoding& config, const ModelEncoding& gguf) {
  const std::string type = value_of(config, "model_type");
  const KnownType known = find_model_type(type.empty() ? config.family : type);
  // A model of several parts: by what the file says of itself.
  if (known.type == nullptr || !known.type->part.empty() || known.type->gguf.architecture.empty()) {
    return value_of(gguf, "pairing") == "interleaved" ? Pairing::interleaved : Pairing::half_split;
  }
  return known.type->gguf.pairing;
}

// What a layer does to its scores, but for its positions, as lines "key: value". A GGUF keeps its
// numbers in float32.
std::string facts_of(const Layer& layer) {
  nlohmann::ordered_json json = to_json(layer);
  json.erase("encoding");
  std::string lines;
  const nlohmann::ordered_json flat = json.flatten();
  for (const auto& [key, value] : flat.items()) {
    lines += value.is_number_float() ? fmt::format("{}: {:.6g}\n", key, value.get<double>())
                                     : fmt::format("{}: {}\n", key, value.dump());
  }
  return lines;
}

TEST(Dialects, GgufHasTheFactsOfTheConfig) {
  size_t agreeing = 0;
  for (const std::string& name : folders_with("model.gguf")) {
    SCOPED_TRACE(name);
    const ModelEncoding config = read_model(kTestdata / "models" / name);
    const ModelEncoding gguf = read_model(kTestdata / "models" / name / "model.gguf");
    if (kLost.contains(name)) continue;
    ASSERT_EQ(config.layers.size(), gguf.layers.size());
    size_t same = 0;
    while (same < config.layers.size() &&
           facts_of(config.layers[same]) == facts_of(gguf.layers[same])) {
      ++same;
    }
    if (kOtherFacts.contains(name)) {
      EXPECT_LT(same, config.layers.size()) << "no longer: " << kOtherFacts.at(name);
    } else if (same < config.layers.size()) {
      ADD_FAILURE() << "layer " << same << "\n"
                    << facts_of(config.layers[same]) << "GGUF\n"
                    << facts_of(gguf.layers[same]);
    } else {
      ++agreeing;
    }
  }
  EXPECT_GE(agreeing, 71u);
}

TEST(Dialects, GgufSaysWhatTheConfigSays) {
  size_t compared = 0;
  for (const std::string& name : folders_with("model.gguf")) {
    SCOPED_TRACE(name);
    const ModelEncoding config = read_model(kTestdata / "models" / name);
    const ModelEncoding gguf = read_model(kTestdata / "models" / name / "model.gguf");
    if (kLost.contains(name)) {
      EXPECT_NE(config.layers, gguf.layers) << "no longer: " << kLost.at(name);
      continue;
    }
    EXPECT_EQ(config.hidden_size, gguf.hidden_size);
    EXPECT_EQ(config.heads, gguf.heads);
    if (!kLostHeads.contains(name)) {
      EXPECT_EQ(config.kv_heads, gguf.kv_heads);
    }
    EXPECT_EQ(config.head_dim, gguf.head_dim);
    expect_same_layers(config, gguf, gguf_pairing(config, gguf));
    ++compared;
  }
  EXPECT_GE(compared, 73u);
}

TEST(Dialects, ParamsSayWhatTheConfigSays) {
  size_t compared = 0;
  for (const std::string& name : folders_with("params.json")) {
    SCOPED_TRACE(name);
    const ModelEncoding config = read_model(kTestdata / "models" / name);
    const ModelEncoding params = read_model(kTestdata / "models" / name / "params.json");
    EXPECT_EQ(config.hidden_size, params.hidden_size);
    EXPECT_EQ(config.heads, params.heads);
    EXPECT_EQ(config.kv_heads, params.kv_heads);
    EXPECT_EQ(config.head_dim, params.head_dim);
    EXPECT_EQ(config.family, params.family);
    expect_same_layers(config, params, Pairing::interleaved);
    ++compared;
  }
  EXPECT_GE(compared, 10u);
}

// llama.cpp's own switch over its architectures. "none" is a model that does not rotate.
TEST(Dialects, PairingsAreThoseOfLlamaCpp) {
  const ordered_json kinds =
      ordered_json::parse(read_text(kTestdata / "reference" / "gguf_architectures.json", 1 << 20));
  const std::map<std::string, Pairing> pairings = {{"norm", Pairing::interleaved},
                                                   {"neox", Pairing::half_split},
                                                   {"mrope", Pairing::half_split},
                                                   {"imrope", Pairing::half_split}};
  size_t compared = 0;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      const std::string architecture(type.gguf.architecture);
      if (architecture.empty()) continue;
      SCOPED_TRACE(std::string(type.name) + " " + architecture);
      ASSERT_TRUE(kinds.contains(architecture));
      const std::string kind = kinds[architecture].get<std::string>();
      if (kind == "none") continue;
      // With sections llama.cpp turns these by several axes, in halves.
      if (type.multi_axis.axes > 0 && kind == "norm") continue;
      EXPECT_EQ(type.gguf.pairing, pairings.at(kind));
      ++compared;
    }
  }
  EXPECT_GE(compared, 90u);
}

// The bytes of a GGUF with one value changed where it stands.
std::string with_other_value(std::string bytes, const GgufValue& value) {
  const GgufType type = value.type == GgufType::array ? value.element : value.type;
  char* at = bytes.data() + value.offset;
  if (type == GgufType::f32) {
    float number = 0;
    std::memcpy(&number, at, sizeof number);
    number *= 0.5f;
    std::memcpy(at, &number, sizeof number);
  } else if (type == GgufType::string || type == GgufType::boolean) {
    *at = static_cast<char>(*at ^ 1);
  } else {
    uint32_t number = 0;
    std::memcpy(&number, at, sizeof number);
    number = number == 0 ? 1 : number * 2;
    std::memcpy(at, &number, sizeof number);
  }
  return bytes;
}

// What counts of a model; evidence, because it holds the facts about q and k too.
bool gguf_differs(const std::filesystem::path& file, const ModelEncoding& model) {
  try {
    const ModelEncoding other = read_gguf_model(file);
    return without_words(other) != without_words(model) || other.evidence != model.evidence;
  } catch (const Error&) {
    return true;
  }
}

// Every key of a GGUF that the evidence names matters.
TEST(Dialects, EachUsedKeyOfAGgufCounts) {
  const TempFolder folder;
  size_t used = 0;
  for (const std::string& name : folders_with("model.gguf")) {
    const std::filesystem::path path = kTestdata / "models" / name / "model.gguf";
    const std::string bytes = file_bytes(path);
    const ModelEncoding model = read_gguf_model(folder.file("m.gguf", bytes));
    const GgufFile file(path);
    for (const Evidence& fact : model.evidence) {
      const size_t at = fact.source.find("m.gguf: ");
      if (at == fact.source.npos) continue;
      const auto value = file.metadata().find(fact.source.substr(at + 8));
      if (value == file.metadata().end()) continue;  // a tensor, or a default
      const auto changed = folder.file("m.gguf", with_other_value(bytes, value->second));
      EXPECT_TRUE(gguf_differs(changed, model)) << name << " " << value->first;
      ++used;
    }
  }
  EXPECT_GE(used, 600u);
}

}  // namespace
}  // namespace ropewalk
