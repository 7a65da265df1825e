#include "ropewalk/models/attention_reader.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

constexpr NumberRule kPositive{"a number above 0", [](double value) { return value > 0; }};
constexpr NumberRule kSoftmaxScale{"a number above 0 and at most 1e6",
                                   [](double value) { return value > 0 && value <= 1e6; }};
constexpr NumberRule kEps{"a number of at least 0 and below 1",
                          [](double value) { return value >= 0 && value < 1; }};
constexpr NumberRule kMultiplier{"a number that is not 0", [](double value) { return value != 0; }};
constexpr IntegerRule kKeys{1, int64_t{1} << 53};

// A value and where it was read; no value where the key is absent, `null` where it is null.
template <typename T>
struct Found {
  std::optional<T> value;
  bool null = false;
  std::string source;
};

// `read` (place, key) in the object that "a/b" names.
template <typename T, typename Read>
Found<T> find(ConfigReader& config, std::string_view path, Read read) {
  if (path.empty()) return {};
  const size_t slash = path.find('/');
  if (slash != path.npos) {
    std::optional<ConfigReader> inner = config.find_object(path.substr(0, slash));
    if (!inner) return {};
    return find<T>(*inner, path.substr(slash + 1), read);
  }
  return {read(config, path), config.is_null(path), config.source(path)};
}

Found<double> find_number(ConfigReader& config, std::string_view path, const NumberRule& rule) {
  return find<double>(config, path, [&](ConfigReader& place, std::string_view key) {
    return place.find_number(key, rule);
  });
}

Found<bool> find_boolean(ConfigReader& config, std::string_view path) {
  return find<bool>(config, path, [](ConfigReader& place, std::string_view key) {
    return place.find_boolean(key);
  });
}

struct Reader {
  ConfigReader& config;
  ModelEncoding& model;
  const ModelType& type;
  const AttentionRule& rule = type.attention;
  std::string code = fmt::format("family: the code of {}", type.name);
  std::string of_class = fmt::format("default of {}", type.config_class);

  bool is_on(const SwitchKey& key, std::string_view field) {
    const Found<bool> found = find_boolean(config, key.key);
    const bool on = found.value.value_or(key.value);
    if (!key.key.empty() && !on) config.note(field, "none", found.value ? found.source : of_class);
    return on;
  }

  // Null counts as absent, but for keys that null switches off.
  double number(std::string_view field, const NumberKey& key, const NumberRule& rule_of_key,
                bool null_is_off) {
    const Found<double> found = find_number(config, key.key, rule_of_key);
    if (found.null && null_is_off) {
      if (key.value != 0) config.note(field, "none", found.source + ", null");
      return 0;
    }
    const double value = found.value.value_or(key.value);
    if (found.value || (value != 0 && value != 1)) {
      config.note(field, fmt::to_string(value), found.value ? found.source : of_class);
    }
    return value;
  }
};

// 1 / sqrt(head_dim) is not noted: it is what holds where nothing is said.
double softmax_scale(Reader& reader) {
  const ScaleRule& rule = reader.rule.scale;
  const Found<double> found = find_number(reader.config, rule.key, kSoftmaxScale);
  double value = found.value.value_or(rule.value);
  if (value == 0) return 0;
  std::string source = found.value        ? found.source
                       : rule.key.empty() ? reader.code
                                          : reader.of_class;
  std::string words = fmt::to_string(value);
  if (rule.inverse_root) {
    words = fmt::format("1 / sqrt({})", value);
    value = 1 / std::sqrt(value);
  }
  reader.config.note("softmax_scale", words, source);
  return value;
}

Norm qk_norm(Reader& reader) {
  const NormRule& rule = reader.rule.qk_norm;
  if (rule.norm.kind == NormKind::none || !reader.is_on(rule.on, "q_k_norm")) return {};
  Norm norm = rule.norm;
  if (!rule.extent_key.empty()) {
    const auto stated = reader.config.find_text(rule.extent_key);
    norm.extent = stated.value_or("qwen3") == "qwen3" ? NormExtent::head : NormExtent::all_heads;
  }
  const Found<double> eps = find_number(reader.config, rule.eps_key, kEps);
  norm.eps = eps.value.value_or(norm.eps);
  std::string words = in_words(norm, true);
  if (rule.rotating_layers_only) words += ", in layers that rotate";
  reader.config.note("q_k_norm", words, reader.code);
  reader.config.note("q_k_norm eps", fmt::to_string(norm.eps),
                     eps.value ? eps.source : reader.of_class);
  return norm;
}

// v and what the heads give are normed by the same code, with the same eps.
Norm norm_beside(Reader& reader, std::string_view field, Norm norm) {
  if (norm.kind == NormKind::none) return norm;
  const Found<double> eps = find_number(reader.config, reader.rule.qk_norm.eps_key, kEps);
  norm.eps = eps.value.value_or(norm.eps);
  reader.config.note(field, in_words(norm, false), reader.code);
  return norm;
}

// 0: none.
int64_t window(Reader& reader) {
  const WindowRule& rule = reader.rule.window;
  if (rule.key.empty()) return 0;
  if (!reader.is_on(rule.on, "window")) {
    reader.config.ignore(rule.key);
    return 0;
  }
  const auto stated = reader.config.find_integer(rule.key, {0, kKeys.most});
  if (reader.config.is_null(rule.key)) {
    if (rule.value > 0)
      reader.config.note("window", "none", reader.config.source(rule.key) + ", null");
    return 0;
  }
  const int64_t value = stated.value_or(rule.value) / rule.divisor;
  if (value > 0) {
    reader.config.note("window", fmt::format("{} keys", value),
                       stated ? reader.config.source(rule.key) : reader.of_class);
  }
  return value;
}

Mask mask(Reader& reader) {
  if (reader.rule.bidirectional_key.empty()) return reader.rule.mask;
  const auto& json = reader.config.json();
  const auto found = json.find(std::string(reader.rule.bidirectional_key));
  reader.config.ignore(reader.rule.bidirectional_key);
  if (found == json.end() || (*found != true && *found != "all")) return reader.rule.mask;
  reader.config.note("mask", "full", reader.config.source(reader.rule.bidirectional_key));
  return Mask::full;
}

std::optional<QueryScale> llama4_scale(Reader& reader) {
  ConfigReader& config = reader.config;
  const auto on = config.find_boolean("attn_temperature_tuning");
  // transformers 4 writes 4 for true.
  if (!on.value_or(true)) {
    config.note("query_scale", "none", config.source("attn_temperature_tuning"));
    return std::nullopt;
  }
  const double beta = config.number("attn_scale", "attn_scale", kPositive, {0.1, reader.of_class});
  const double floor =
      config.number("floor_scale", "floor_scale",
                    {"a whole number of at least 1",
                     [](double value) { return value >= 1 && std::trunc(value) == value; }},
                    {8192, reader.of_class});
  return QueryScale{QueryScale::Rule::log_floor, beta, static_cast<int64_t>(floor), 1};
}

// What every layer has.
AttentionConfig common(Reader& reader) {
  const AttentionRule& rule = reader.rule;
  AttentionConfig config;
  if (!rule.known) config.not_computed = {NotComputed::unknown};
  config.not_computed.insert(config.not_computed.end(), rule.not_computed.begin(),
                             rule.not_computed.end());
  config.softmax_scale = softmax_scale(reader);
  config.qk_norm = qk_norm(reader);
  config.v_norm = norm_beside(reader, "v_norm", rule.v_norm);
  config.output_norm = norm_beside(reader, "output_norm", rule.output_norm);
  config.mask = mask(reader);
  config.softcap = reader.number("softcap", rule.softcap, kPositive, true);
  config.sinks = rule.sinks;
  config.key_multiplier = reader.number("key_multiplier", rule.key_multiplier, kMultiplier, false);
  config.value_multiplier =
      reader.number("value_multiplier", rule.value_multiplier, kMultiplier, false);
  config.clip_qkv = reader.number("clip_qkv", rule.clip_qkv, kPositive, true);
  config.output_gate =
      reader.is_on(rule.gate_on, "output_gate") ? rule.output_gate : OutputGate::none;
  if (rule.sinks) reader.config.note("sinks", "a learned logit for each head", reader.code);
  if (config.output_gate != OutputGate::none) {
    reader.config.note("output_gate", std::string(name(config.output_gate)), reader.code);
  }
  return config;
}

// q_lora_rank and kv_lora_rank; without them the file says what turns and no more.
LatentProjections latent_projections(Reader& reader) {
  const LatentHead& head = reader.type.latent;
  if (head.rope_dim == 0) return {};
  LatentProjections latent{.eps = head.eps};
  const auto ranks = {std::pair{"q_lora_rank", &latent.q_rank}, {"kv_lora_rank", &latent.kv_rank}};
  for (const auto& [key, rank] : ranks) {
    const int64_t of_class = rank == &latent.q_rank ? head.q_rank : head.kv_rank;
    const auto stated = reader.config.find_integer(key, {1, int64_t{1} << 31});
    *rank = stated.value_or(reader.config.is_null(key) ? 0 : of_class);
    reader.config.note(key, fmt::to_string(*rank),
                       stated ? reader.config.source(key) : reader.of_class);
  }
  latent.shared_dim =
      reader.config.find_integer("qk_rope_head_dim", {0, 65536}).value_or(head.rope_dim);
  if (!head.eps_key.empty()) {
    latent.eps = reader.config.find_number(head.eps_key, kEps).value_or(head.eps);
  }
  if (head.scales_by_rank) {
    const auto root = [&](int64_t rank) {
      return rank == 0 ? 1
                       : std::sqrt(static_cast<double>(reader.model.hidden_size) /
                                   static_cast<double>(rank));
    };
    latent.q_scale = root(latent.q_rank);
    latent.kv_scale = root(latent.kv_rank);
  }
  return latent;
}

int64_t value_dim(Reader& reader, int64_t head_dim) {
  if (reader.type.value_dim.key.empty()) return head_dim;
  const auto stated = reader.config.find_integer(reader.type.value_dim.key, {1, 65536});
  const int64_t of_class = reader.type.value_dim.value;
  const int64_t dim = stated.value_or(of_class == 0 ? head_dim : of_class);
  reader.config.note("value_dim", fmt::to_string(dim),
                     stated ? reader.config.source(reader.type.value_dim.key) : reader.of_class);
  return dim;
}

// How many of the last layers take k and v of an earlier one.
int64_t sharing_layers(Reader& reader) {
  const IntegerKey& key = reader.rule.shared_kv;
  if (key.key.empty()) return 0;
  const auto stated = reader.config.find_integer(key.key, {0, kLayerCount.most});
  const int64_t count = stated.value_or(key.value);
  if (count > 0) {
    reader.config.note("layers that share k and v", fmt::format("the last {}", count),
                       stated ? reader.config.source(key.key) : reader.of_class);
  }
  return count;
}

void set_window(const AttentionRule& rule, int64_t window, bool rotates, const LayerKind* kind,
                AttentionConfig& attention) {
  const bool windowed = rule.window.all_layers || (rule.window.unrotated_only && !rotates) ||
                        (rule.window.rotated_only && rotates) ||
                        (kind != nullptr && kind->windowed);
  if (window == 0 || !windowed) return;
  if (rule.window.halved) {
    attention.window_left = (window + 1) / 2 - 1;
    attention.window_right = window / 2;
    return;
  }
  const bool both = attention.mask == Mask::full;
  const bool halved = !rule.bidirectional_key.empty() && both;
  attention.window_left = halved ? window / 2 : both ? window : window - 1;
  attention.window_right = both ? attention.window_left : 0;
}

double scale_of_layer(Reader& reader, const AttentionConfig& common, const Layer& layer,
                      double factor) {
  const double plain = common.softmax_scale != 0
                           ? common.softmax_scale
                           : 1 / std::sqrt(static_cast<double>(layer.head_dim));
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  const double scaled = rope == nullptr ? 1 : softmax_factor(*rope);
  const double scale = plain * scaled * factor;
  if (!kSoftmaxScale.holds(scale)) {
    reader.config.refuse(ErrorCode::malformed, "rope_parameters",
                         fmt::format("expected a softmax scale of {}, found {:.7g} x {:.7g}",
                                     kSoftmaxScale.expected, plain, scaled));
  }
  return scale;
}

void note_scaled(Reader& reader) {
  for (const Layer& layer : reader.model.layers) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (rope == nullptr || softmax_factor(*rope) == 1) continue;
    reader.config.note(
        "softmax_scale", fmt::format("{:.7g}", layer.attention.softmax_scale),
        fmt::format("derived: head_dim^-0.5, times {:.7g} of the scaling", softmax_factor(*rope)));
    return;
  }
}

}  // namespace

std::string in_words(const Norm& norm, bool of_q_and_k) {
  std::string words = fmt::format("{}, {}", name(norm.kind),
                                  norm.extent == NormExtent::head ? "per head" : "over all heads");
  if (of_q_and_k) {
    words +=
        norm.place == NormPlace::before_rotation ? ", before the rotation" : ", after the rotation";
  }
  if (!norm.weights) words += ", without weights";
  if (norm.unit_offset) words += ", weights kept less 1";
  return words;
}

namespace {

std::string key_words(std::string_view key, double value) {
  return value == 0 ? std::string(key) : fmt::format("{} ({:g})", key, value);
}

void add_scale(const ScaleRule& rule, std::vector<std::string>& words) {
  if (!rule.key.empty()) {
    const std::string stated = key_words(rule.key, rule.value);
    words.push_back(rule.inverse_root ? fmt::format("scale 1 / sqrt({})", stated)
                                      : fmt::format("scale {}", stated));
  } else if (rule.value != 0) {
    words.push_back(fmt::format("scale {:g}", rule.value));
  }
  if (rule.factor != 1) words.push_back(fmt::format("scale times {:.7g}", rule.factor));
}

void add_norm(const NormRule& rule, std::vector<std::string>& words) {
  if (rule.norm.kind == NormKind::none) return;
  words.push_back("norm of q and k: " + in_words(rule.norm, true));
  if (!rule.on.key.empty()) {
    words.back() += fmt::format(", if {} (default {})", rule.on.key, rule.on.value);
  }
}

}  // namespace

std::string attention_in_words(const ModelType& type) {
  const AttentionRule& rule = type.attention;
  if (!rule.known) return "not known";
  std::vector<std::string> words;
  add_scale(rule.scale, words);
  add_norm(rule.qk_norm, words);
  if (rule.v_norm.kind != NormKind::none) words.push_back("norm of v");
  if (rule.output_norm.kind != NormKind::none) words.push_back("norm of the heads");
  if (rule.mask != Mask::causal) words.push_back(fmt::format("mask {}", name(rule.mask)));
  if (!rule.window.key.empty()) {
    words.push_back("window " + key_words(rule.window.key, static_cast<double>(rule.window.value)));
  }
  if (!rule.chunk.key.empty()) {
    words.push_back("chunks " + key_words(rule.chunk.key, static_cast<double>(rule.chunk.value)));
  }
  if (!rule.softcap.key.empty()) {
    words.push_back("softcap " + key_words(rule.softcap.key, rule.softcap.value));
  }
  if (rule.sinks) words.push_back("sinks");
  if (rule.query_scale != QueryScaleFrom::nothing) words.push_back("q scaled by position");
  if (!rule.key_multiplier.key.empty()) words.push_back(std::string(rule.key_multiplier.key));
  if (!rule.value_multiplier.key.empty()) words.push_back(std::string(rule.value_multiplier.key));
  if (!rule.clip_qkv.key.empty()) words.push_back(std::string(rule.clip_qkv.key));
  if (rule.output_gate != OutputGate::none) {
    words.push_back(fmt::format("output gate {}", name(rule.output_gate)));
  }
  if (type.latent.rope_dim > 0) words.push_back("latent q, k and v");
  for (const NotComputed what : rule.not_computed) {
    words.push_back(fmt::format("not computed: {}", name(what)));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

void read_attention(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                    std::span<const LayerFacts> facts) {
  Reader reader{config, model, type};
  AttentionConfig all = common(reader);
  all.latent = latent_projections(reader);
  const int64_t keys = window(reader);
  const int64_t chunk = type.attention.chunk.key.empty() ? 0
                        : config.is_null(type.attention.chunk.key)
                            ? 0
                            : config.find_integer(type.attention.chunk.key, kKeys)
                                  .value_or(type.attention.chunk.value);
  if (chunk > 0)
    config.note("chunk", fmt::to_string(chunk), config.source(type.attention.chunk.key));
  const std::optional<QueryScale> llama4 =
      type.attention.query_scale == QueryScaleFrom::llama4 ? llama4_scale(reader) : std::nullopt;
  const int64_t of_value = value_dim(reader, model.head_dim);
  const double factor = reader.number(
      "softmax_scale factor", {type.attention.scale.factor_key, type.attention.scale.factor},
      kPositive, false);
  const bool value_is_key = reader.is_on(type.attention.value_is_key, "v is the projection of k");
  const int64_t first_sharing = std::ssize(model.layers) - sharing_layers(reader);
  for (size_t i = 0; i < model.layers.size(); ++i) {
    Layer& layer = model.layers[i];
    const LayerFacts fact = facts.empty() ? LayerFacts{} : facts[i];
    if (fact.kind != nullptr && layer.mixer == Mixer::attention) layer.mixer = fact.kind->mixer;
    if (layer.mixer != Mixer::attention) continue;
    if (layer.heads == 0) layer.heads = model.heads;
    if (layer.kv_heads == 0) layer.kv_heads = model.kv_heads;
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (layer.head_dim == 0) {
      layer.head_dim = rope == nullptr ? model.head_dim : rope->layout.head_dim;
    }
    if (layer.value_dim == 0) {
      layer.value_dim = layer.head_dim == model.head_dim ? of_value : layer.head_dim;
    }
    layer.attention = all;
    AttentionConfig& attention = layer.attention;
    attention.softmax_scale = scale_of_layer(reader, all, layer, factor);

    if (type.attention.qk_norm.rotating_layers_only && rope == nullptr) attention.qk_norm = {};
    set_window(type.attention, keys, rope != nullptr, fact.kind, attention);
    attention.value_is_key = value_is_key && attention.window_left < 0;
    if (type.attention.sinks_in_windows_only && attention.window_left < 0) attention.sinks = false;
    if (rope != nullptr) attention.chunk = chunk;
    if (static_cast<int64_t>(i) >= first_sharing) {
      attention.not_computed.push_back(NotComputed::shared_keys);
    }
    attention.query_scale = rope == nullptr ? llama4 : fact.query_scale;
  }
  note_scaled(reader);
  if (!type.remark.empty()) config.note("remark", std::string(type.remark), reader.code);
}

}  // namespace ropewalk
