#include "ropewalk/models/gguf_config.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/models/gguf_rope.h"
#include "ropewalk/models/layer_kinds.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kBlock = "rope_parameters";
// What llama.cpp takes where the file has no rope.freq_base.
constexpr double kDefaultBase = 10000;

struct Translator {
  GgufKeys& keys;
  const ModelType& type;
  GgufConfig result;

  ordered_json& json() { return result.object.json; }

  // A key of the file by its name in a config.json; absent or not, messages call it as the file.
  void name_it(std::string_view word, std::string_view name) {
    result.object.names.emplace(fmt::format("/{}", word), escaped(keys.key(name)));
  }
  void copy_integer(std::string_view word, std::string_view name) {
    name_it(word, name);
    if (const auto value = keys.integer(name)) json()[std::string(word)] = *value;
  }
  std::optional<int64_t> integer_of(const char* word) {
    const auto found = json().find(word);
    return found == json().end() || !found->is_number() ? std::nullopt
                                                        : std::optional(found->get<int64_t>());
  }
};

// One number, or one for each layer: 0 for a layer that does not attend.
void copy_count(Translator& to, std::string_view word, std::string_view name) {
  const auto counts = to.keys.integers(name);
  if (!counts) return to.copy_integer(word, name);
  to.name_it(word, name);
  const auto layers = to.keys.integer("block_count");
  if (layers && std::ssize(*counts) != *layers) {
    to.keys.fail(name, fmt::format("expected {} numbers, one for each layer, found {}", *layers,
                                   counts->size()));
  }
  const int64_t most = counts->empty() ? 0 : *std::max_element(counts->begin(), counts->end());
  to.result.attends.resize(counts->size(), true);
  for (size_t i = 0; i < counts->size(); ++i) {
    const int64_t count = (*counts)[i];
    if (count == 0) to.result.attends[i] = false;
    if (count == 0 || count == most) continue;
    to.result.warnings.push_back(fmt::format("{}: the layers differ, of {} heads is spoken here",
                                             escaped(to.keys.key(name)), most));
  }
  to.json()[std::string(word)] = most;
}

void copy_recurrent_layers(Translator& to) {
  const auto recurrent = to.keys.integers("attention.recurrent_layers");
  if (!recurrent) return;
  to.result.attends.resize(std::max(to.result.attends.size(), recurrent->size()), true);
  for (size_t i = 0; i < recurrent->size(); ++i) {
    if ((*recurrent)[i] != 0) to.result.attends[i] = false;
  }
}

// The key of a latent head is made of what passes and what turns.
void copy_latent_head(Translator& to) {
  constexpr std::string_view kTurning = "rope.dimension_count";
  to.keys.key("attention.head_count_kv");  // 1: the latent vector itself
  // With the projections absorbed key_length is that of the latent vector.
  const bool absorbed = to.keys.integer("attention.key_length_mla").has_value();
  const std::string_view whole = absorbed ? "attention.key_length_mla" : "attention.key_length";
  const auto head_dim = to.keys.integer(whole), turning = to.keys.integer(kTurning);
  to.name_it("qk_rope_head_dim", kTurning);
  to.name_it("qk_nope_head_dim", whole);
  if (!head_dim) to.keys.fail(whole, "expected the channels of a head, found no such key");
  if (!turning) to.keys.fail(kTurning, "expected the channels that turn, found no such key");
  if (*turning > *head_dim) {
    to.keys.fail(kTurning, fmt::format("expected at most the {} channels of a head, found {}",
                                       *head_dim, *turning));
  }
  to.json()["qk_rope_head_dim"] = *turning;
  to.json()["qk_nope_head_dim"] = *head_dim - *turning;
  to.copy_integer("index_head_dim", "attention.indexer.key_length");
}

void copy_size(Translator& to) {
  to.copy_integer("hidden_size", "embedding_length");
  to.copy_integer("max_position_embeddings", "context_length");
  to.copy_integer("num_hidden_layers", "block_count");
  // Layers that predict further tokens stand after the model's own.
  const auto further = to.keys.integer("nextn_predict_layers");
  if (further && *further > 0 && to.integer_of("num_hidden_layers") > *further) {
    to.json()["num_hidden_layers"] = *to.integer_of("num_hidden_layers") - *further;
  }
  copy_count(to, "num_attention_heads", "attention.head_count");
  copy_recurrent_layers(to);
  if (to.type.latent.rope_dim > 0) return copy_latent_head(to);
  copy_count(to, "num_key_value_heads", "attention.head_count_kv");
  to.copy_integer("head_dim", "attention.key_length");
  to.copy_integer(kWindowedHeadDim, "attention.key_length_swa");
}

// Which layers have a window: true for each that has, or one in so many has none.
void copy_windows(Translator& to) {
  constexpr std::string_view kPattern = "attention.sliding_window_pattern";
  to.copy_integer("sliding_window", "attention.sliding_window");
  if (to.integer_of("sliding_window").value_or(0) == 0) to.json()["sliding_window"] = nullptr;
  const LayerRule& rule = to.type.layers;
  const auto sliding = std::find_if(rule.kinds.begin(), rule.kinds.end(), is_windowed);
  const auto full = std::find_if_not(rule.kinds.begin(), rule.kinds.end(), is_windowed);
  if (sliding == rule.kinds.end() || full == rule.kinds.end()) {
    if (rule.period_key.find("interval") != rule.period_key.npos) {
      to.copy_integer(rule.period_key, rule.period_key);
    }
    return;
  }
  if (auto windows = to.keys.integers(kPattern)) {
    std::vector<std::string_view> names;
    for (const int64_t has_window : *windows) {
      names.push_back(has_window != 0 ? sliding->name : full->name);
    }
    const int64_t own = to.integer_of("num_hidden_layers").value_or(0);
    if (own > 0 && std::ssize(names) > own) names.resize(static_cast<size_t>(own));
    to.json()["layer_types"] = names;
    to.name_it("layer_types", kPattern);
  } else if (!rule.period_key.empty()) {
    to.copy_integer(rule.period_key, kPattern);
  }
}

std::optional<int64_t> head_dim(Translator& to, bool windowed) {
  const auto own = to.json().find(kWindowedHeadDim);
  if (windowed && own != to.json().end()) return own->get<int64_t>();
  if (to.type.latent.rope_dim > 0) {
    return to.keys.integer("rope.dimension_count");  // of what turns
  }
  if (const auto stated = to.integer_of("head_dim")) return stated;
  const auto hidden = to.integer_of("hidden_size"), heads = to.integer_of("num_attention_heads");
  return hidden && heads && *heads > 0 ? std::optional(*hidden / *heads) : std::nullopt;
}

// What turns, as a part of the head, where the kinds of layers differ in it.
void set_fraction(Translator& to, NamedJson& block, bool windowed) {
  const std::string_view name = windowed && to.keys.integer("rope.dimension_count_swa")
                                    ? "rope.dimension_count_swa"
                                    : "rope.dimension_count";
  const auto turning = to.keys.integer(name);
  if (!turning || block.json.contains("partial_rotary_factor")) return;
  const int64_t whole = head_dim(to, windowed).value_or(0);
  if (*turning < 2 || *turning > whole || *turning % 2 != 0) {
    to.keys.fail(name, fmt::format("expected an even number in 2..{}, found {}", whole, *turning));
  }
  double fraction = static_cast<double>(*turning) / static_cast<double>(whole);
  // int(head_dim * fraction) has to be the number again.
  while (static_cast<int64_t>(static_cast<double>(whole) * fraction) < *turning) {
    fraction = std::nextafter(fraction, 2);
  }
  block.json["partial_rotary_factor"] = fraction;
  block.names.emplace("/partial_rotary_factor", escaped(to.keys.key(name)));
}

void set_theta(Translator& to, NamedJson& block, std::string_view name) {
  block.names.emplace("/rope_theta", escaped(to.keys.key(name)));
  if (const auto theta = to.keys.number(name)) block.json["rope_theta"] = *theta;
}

// The file has no key for it, and llama.cpp always rounds: the model's code counts.
void set_truncate(Translator& to, NamedJson& scaling) {
  if (to.type.rope_parameters.empty() || scaling.json["rope_type"] != "yarn") return;
  const auto code = ordered_json::parse(to.type.rope_parameters);
  if (!code.contains("truncate")) return;
  scaling.json["truncate"] = code["truncate"];
  scaling.names.emplace("/truncate", fmt::format("no key states it, the code of {}", to.type.name));
  to.result.warnings.push_back(
      "llama.cpp rounds the ends of YaRN's ramp to whole pairs, the model's own code does not");
}

void put(Translator& to, const std::string& pointer, const NamedJson& block) {
  to.json()[ordered_json::json_pointer(pointer)] = block.json;
  for (const auto& [word, name] : block.names) to.result.object.names[pointer + word] = name;
}

void copy_rope(Translator& to) {
  const double base = to.keys.number("rope.freq_base").value_or(kDefaultBase);
  const int64_t turning =
      to.keys.integer("rope.dimension_count").value_or(head_dim(to, false).value_or(0));
  const bool tenth = to.type.latent.rope_dim > 0;
  NamedJson scaling = gguf_scaling(to.keys, base, turning / 2, tenth);
  set_truncate(to, scaling);
  const std::string pointer = fmt::format("/{}", kBlock);
  const LayerRule& rule = to.type.layers;
  const auto switched = to.json().find(std::string(rule.all_rotate_if_null));
  if (rule.kinds.empty() || turn_alike(rule.kinds) ||
      (switched != to.json().end() && switched->is_null())) {
    set_theta(to, scaling, "rope.freq_base");
    if (!tenth) to.copy_integer("rotary_dim", "rope.dimension_count");
    return put(to, pointer, scaling);
  }
  for (const LayerKind& kind : rule.kinds) {
    if (!kind.rotates) continue;
    NamedJson block = kind.takes_rope_scaling ? scaling : NamedJson{{{"rope_type", "default"}}, {}};
    const bool windowed = is_windowed(kind);
    const bool own_base = to.keys.number("rope.freq_base_swa") || kind.rope_theta != 0;
    set_theta(to, block, windowed && own_base ? "rope.freq_base_swa" : "rope.freq_base");
    set_fraction(to, block, windowed);
    put(to, fmt::format("{}/{}", pointer, kind.name), block);
  }
}

// "attn_config/clip_qkv" is a key of an object.
void put_number(Translator& to, std::string_view path, std::string_view name) {
  if (path.empty()) return;
  const std::string pointer = fmt::format("/{}", path);
  to.result.object.names.emplace(pointer, escaped(to.keys.key(name)));
  if (const auto value = to.keys.number(name)) {
    to.json()[ordered_json::json_pointer(pointer)] = *value;
  }
}

// Whether q and k are normed follows from the tensors, where the header lists any of a layer.
void copy_norm(Translator& to) {
  const NormRule& rule = to.type.attention.qk_norm;
  put_number(to, rule.eps_key,
             rule.norm.kind == NormKind::layer ? "attention.layer_norm_epsilon"
                                               : "attention.layer_norm_rms_epsilon");
  if (rule.on.key.empty()) return;
  const auto& tensors = to.keys.file().tensors();
  const auto layer = tensors.lower_bound("blk.");
  if (layer == tensors.end() || !layer->first.starts_with("blk.")) return;
  const bool normed = std::any_of(tensors.begin(), tensors.end(), [](const auto& tensor) {
    return tensor.first.ends_with(".attn_q_norm.weight");
  });
  to.json()[std::string(rule.on.key)] = normed;
  to.result.object.names.emplace(fmt::format("/{}", rule.on.key),
                                 "tensor blk.0.attn_q_norm.weight");
}

// The sizes of Gemma whose softmax scale llama.cpp takes from the width of the model, by their
// layers; all others have head_dim. Source: src/models/gemma2.cpp, gemma3.cpp.
void set_gemma_scale(Translator& to) {
  const std::string_view key = to.type.attention.scale.key;
  if (key != "query_pre_attn_scalar") return;
  const auto hidden = to.integer_of("hidden_size"), heads = to.integer_of("num_attention_heads");
  const int64_t layers = to.integer_of("num_hidden_layers").value_or(0);
  const bool of_27b = (to.keys.architecture() == "gemma2" && layers == 46) ||
                      (to.keys.architecture() == "gemma3" && layers == 62);
  const std::optional<int64_t> scalar = of_27b && hidden && heads && *heads > 0
                                            ? std::optional(*hidden / *heads)
                                            : head_dim(to, false);
  if (scalar) to.json()[std::string(key)] = *scalar;
  to.result.object.names.emplace(
      fmt::format("/{}", key),
      of_27b ? "llama.cpp: hidden_size / heads at this size" : "llama.cpp: head_dim");
}

void copy_attention(Translator& to) {
  const AttentionRule& rule = to.type.attention;
  copy_norm(to);
  set_gemma_scale(to);
  if (!rule.scale.inverse_root) put_number(to, rule.scale.key, "attention.scale");
  put_number(to, rule.softcap.key, "attn_logit_softcapping");
  put_number(to, rule.clip_qkv.key, "attention.clamp_kqv");
  if (rule.window.key != "sliding_window" && !rule.window.key.empty()) {
    to.copy_integer(rule.window.key, "attention.sliding_window");
  }
  if (to.type.latent.rope_dim == 0) return;
  to.copy_integer("q_lora_rank", "attention.q_lora_rank");
  to.copy_integer("kv_lora_rank", "attention.kv_lora_rank");
  const bool absorbed = to.keys.integer("attention.key_length_mla").has_value();
  to.copy_integer("v_head_dim", absorbed ? "attention.value_length_mla" : "attention.value_length");
}

}  // namespace

GgufConfig gguf_config(GgufKeys& keys, const ModelType& type) {
  Translator to{keys, type, {}};
  copy_size(to);
  copy_windows(to);
  copy_rope(to);
  copy_attention(to);
  return std::move(to.result);
}

}  // namespace ropewalk
