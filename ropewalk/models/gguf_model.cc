#include "ropewalk/models/gguf_model.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/gguf_config.h"
#include "ropewalk/models/heads.h"
#include "ropewalk/models/layer_kinds.h"
#include "ropewalk/models/parts.h"

namespace ropewalk {
namespace {

constexpr std::string_view kPattern = "attention.sliding_window_pattern";
constexpr std::string_view kSections = "rope.dimension_sections";

// Architectures whose scores get a bias.
struct AlibiArchitecture {
  std::string_view name;
  double max_bias;     // 0: the key attention.max_alibi_bias
  int64_t layers = 0;  // only a model of so many
  AlibiForm form = AlibiForm::relative;
};
constexpr AlibiArchitecture kAlibi[] = {
    {"bloom", 8},
    {"mpt", 0},
    {"refact", 8},
    {"jais", 0},
    {"baichuan", 8, 40},  // 13B
    {"jina-bert-v2", 8, 0, AlibiForm::symmetric},
};

bool has_windows(const ModelType& type) {
  return std::any_of(type.layers.kinds.begin(), type.layers.kinds.end(), is_windowed);
}

[[noreturn]] void refuse_architecture(const GgufKeys& keys) {
  std::vector<std::string_view> names;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (!type.gguf.architecture.empty()) names.push_back(type.gguf.architecture);
    }
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("{}: general.architecture: expected one that ropewalk models lists, found "
                  "\"{}\"{}",
                  keys.file().label(), escaped(keys.architecture()),
                  did_you_mean(keys.architecture(), names)));
}

// Several model types may have become files of one architecture: the first that has windows and
// axes where the file has them, else the first.
KnownType type_of_architecture(GgufKeys& keys) {
  const bool windows = keys.file().metadata().contains(keys.key(kPattern));
  const bool axes = keys.integers(kSections).has_value();
  KnownType best;
  int best_score = -1;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (type.gguf.architecture != keys.architecture() || !type.part.empty()) continue;
      const int score = int{has_windows(type) == windows} + int{(type.multi_axis.axes > 0) == axes};
      if (score <= best_score) continue;
      best = {family, &type};
      best_score = score;
    }
  }
  if (best.type == nullptr) refuse_architecture(keys);
  return best;
}

// What llama.cpp has of a type that the user names: its own form, else that of the file's
// architecture. Better no answer than pairs that are guessed.
GgufForm form_of(const KnownType& known, GgufKeys& keys) {
  if (!known.type->gguf.architecture.empty()) return known.type->gguf;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (type.gguf.architecture == keys.architecture()) return type.gguf;
    }
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: general.architecture: expected one whose pairs are known, because a "
                          "{} has no GGUF form that ropewalk models lists; found \"{}\"",
                          keys.file().label(), known.type->name, escaped(keys.architecture())));
}

// The model type as llama.cpp's code has it.
struct Adapted {
  ModelType type;
  std::vector<LayerKind> kinds;
};

Adapted adapted(const ModelType& original, Pairing pairing, const nlohmann::ordered_json& json) {
  Adapted result{original, {original.layers.kinds.begin(), original.layers.kinds.end()}};
  for (LayerKind& kind : result.kinds) {
    // A base of its own have the layers with a window only.
    if (!is_windowed(kind)) kind.rope_theta = 0;
    kind.rotary_fraction = 0;
    const bool own_head_dim = is_windowed(kind) && json.contains(kWindowedHeadDim);
    kind.head_dim_key = own_head_dim ? kWindowedHeadDim : "";
  }
  ModelType& type = result.type;
  type.name = type.config_class = "llama.cpp";
  type.head_dim = type.kv_heads = type.max_positions = type.rotary_dim = 0;
  type.head_dim_key = "head_dim";
  type.max_positions_key = {};
  type.pairing = pairing;
  type.rope_theta = 10000;
  type.theta_key = type.fraction_key = {};
  type.fixed_theta = false;
  type.rotary_fraction = 1;
  type.rotary_dim_key = "rotary_dim";
  type.rope_parameters = {};
  type.latent.writes_half_split = type.latent.key_decides = false;
  return result;
}

void set_alibi(ConfigReader& config, ModelEncoding& model, const ModelType& type, GgufKeys& keys,
               const AlibiArchitecture& alibi) {
  read_heads(config, model, type);
  constexpr std::string_view kKey = "attention.max_alibi_bias";
  const auto stated = keys.number(kKey);
  const double max_bias = stated.value_or(alibi.max_bias);
  if (max_bias <= 0 || max_bias > 64) {
    keys.fail(kKey, stated
                        ? fmt::format("expected a number above 0 and at most 64, found {}", *stated)
                        : "expected a number above 0 and at most 64, found no such key");
  }
  config.note("encoding", "alibi", "family: the scores get a bias, nothing turns");
  config.note("max_bias", fmt::to_string(max_bias),
              stated ? fmt::format("{}: {}", config.label(), keys.key(kKey))
                     : "family: the code of llama.cpp");
  keys.key("rope.dimension_count");
  set_positions(model, AlibiConfig{.heads = model.heads, .max_bias = max_bias, .form = alibi.form});
  read_attention(config, model, type);
}

const AlibiArchitecture* alibi_of(GgufKeys& keys) {
  for (const AlibiArchitecture& alibi : kAlibi) {
    if (alibi.name != keys.architecture()) continue;
    if (alibi.layers == 0 || keys.integer("block_count") == alibi.layers) return &alibi;
  }
  return nullptr;
}

// Then the file says which, whatever the rule of the model type.
bool some_layer_does_not_attend(GgufKeys& keys) {
  for (const char* name : {"attention.head_count", "attention.head_count_kv"}) {
    const auto counts = keys.integers(name);
    if (counts && std::find(counts->begin(), counts->end(), 0) != counts->end()) return true;
  }
  return keys.integers("attention.recurrent_layers").has_value();
}

// Granite's files use it for another thing than its name: whether the model rotates at all.
bool is_switched_off(GgufKeys& keys) {
  return keys.architecture().starts_with("granite") &&
         keys.boolean("rope.scaling.finetuned") == false;
}

void warn_of_pairing(ConfigReader& config, const ModelType& original, Pairing pairing) {
  if (original.pairing == pairing) return;
  config.warn(fmt::format(
      "the rows of Q and K were moved on the way to the GGUF: its pairs are {}, those of the "
      "Hugging Face weights {}",
      name(pairing), name(original.pairing)));
}

void warn_of_base(ConfigReader& config, GgufKeys& keys, const ModelType& original) {
  const double usual = original.layers.kinds.empty() || original.layers.kinds[0].rope_theta == 0
                           ? original.rope_theta
                           : original.layers.kinds[0].rope_theta;
  if (keys.number("rope.freq_base") || usual == 10000) return;
  config.warn(fmt::format("{} is absent: llama.cpp takes 10000, the model's own default is {}",
                          keys.key("rope.freq_base"), usual));
}

// Gemma 4: without the divisors that let pairs stand still.
void warn_of_missing_divisors(ConfigReader& config, const GgufKeys& keys,
                              const ModelType& original) {
  if (original.rope_parameters.find("\"proportional\"") == std::string_view::npos) return;
  if (keys.file_with_tensor("rope_freqs.weight") != nullptr) return;
  config.warn(
      "tensor \"rope_freqs.weight\" is missing: every pair of a head turns, where the model's own "
      "code lets most of them stand still");
}

// Better no answer than a wrong one: the file has a rotation of its own for layers with a window,
// and no such layers are known of the model.
void refuse_unknown_windows(GgufKeys& keys, const ModelType& type) {
  // llama.cpp itself writes a base for windows that no layer has.
  const bool stated = keys.file().metadata().contains(keys.key(kPattern)) ||
                      keys.integer("attention.sliding_window").value_or(0) > 0;
  if (has_windows(type) || !stated) {
    keys.key("rope.freq_base_swa");
    keys.key("rope.dimension_count_swa");
    return;
  }
  const auto refuse = [&](std::string_view name) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("{}: {}: ropewalk does not know which layers of a {} have a window",
                    keys.file().label(), escaped(keys.key(name)), escaped(keys.architecture())));
  };
  const auto base = keys.number("rope.freq_base_swa");
  if (base && base != keys.number("rope.freq_base")) refuse("rope.freq_base_swa");
  const auto turning = keys.integer("rope.dimension_count_swa");
  if (turning && turning != keys.integer("rope.dimension_count")) {
    refuse("rope.dimension_count_swa");
  }
}

// Layers without heads are of the kind that the model's own code has beside attention.
void drop_layers(ModelEncoding& model, const std::vector<bool>& attends, const LayerRule& rule) {
  const auto other = std::find_if(rule.kinds.begin(), rule.kinds.end(), [](const LayerKind& kind) {
    return kind.mixer != Mixer::attention;
  });
  const Mixer mixer = other == rule.kinds.end() ? Mixer::recurrence : other->mixer;
  for (size_t i = 0; i < std::min(attends.size(), model.layers.size()); ++i) {
    if (!attends[i]) model.layers[i] = {.mixer = mixer};
  }
}

}  // namespace

ModelEncoding read_gguf_model(const std::filesystem::path& path, std::string_view assume) {
  const GgufFile file(path);
  GgufKeys keys(file, path);
  const KnownType known = assume.empty() ? type_of_architecture(keys) : known_type(assume);
  ModelType original = *known.type;
  original.gguf = form_of(known, keys);
  // Without a window all layers are alike, as in MobileLLM, which is a llama4 to llama.cpp.
  const bool no_window = keys.integer("attention.sliding_window") == 0 &&
                         (has_windows(original) || original.layers.no_rope_interval > 0);
  if (some_layer_does_not_attend(keys) || no_window) original.layers = {};
  refuse_unknown_windows(keys, original);
  const GgufConfig parts = gguf_config(keys, original);

  ModelEncoding model;
  model.name = file.label();
  model.family = known.family->name;
  model.model_type = known.type->name;
  model.warnings = file.warnings();
  ConfigReader config(parts.object.json, file.label(), "", model, &parts.object.names);
  config.note("family", model.family, fmt::format("{}: general.architecture", file.label()));
  config.note("architecture", keys.architecture(),
              fmt::format("{}: general.architecture", file.label()));
  // ggml's rotation by several axes pairs as half_split whatever the architecture.
  const Pairing pairing = parts.object.json.contains("rope_parameters") &&
                                  parts.object.json["rope_parameters"].contains("mrope_section")
                              ? Pairing::half_split
                              : original.gguf.pairing;
  Adapted llama_cpp = adapted(original, pairing, parts.object.json);
  llama_cpp.type.layers.kinds = llama_cpp.kinds;
  if (const AlibiArchitecture* alibi = alibi_of(keys)) {
    set_alibi(config, model, llama_cpp.type, keys, *alibi);
  } else {
    read_declared(config, model, llama_cpp.type);
    warn_of_pairing(config, original, pairing);
    warn_of_base(config, keys, original);
    warn_of_missing_divisors(config, keys, original);
  }
  drop_layers(model, parts.attends, known.type->layers);
  if (is_switched_off(keys)) {
    set_positions(model, NoEncoding{});
    config.note("encoding", "none",
                fmt::format("{}: {}", file.label(), keys.key("rope.scaling.finetuned")));
  }
  if (parts.object.json.contains("index_head_dim")) add_parts(config, model, original.parts);
  for (const std::string& warning : parts.warnings) config.warn(warning);
  for (std::string& line : keys.unread_rope_keys()) model.warnings.push_back(std::move(line));
  if (!keys.missing_parts().empty()) {
    config.warn(
        fmt::format("{} is not beside the file: rope tensors in it would change the frequencies",
                    keys.missing_parts().front()));
  }
  return model;
}

}  // namespace ropewalk
