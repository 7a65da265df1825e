#include "ropewalk/models/attention_keys.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/models/attention_reader.h"

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

int64_t chunk(Reader& reader) {
  const IntegerKey& key = reader.rule.chunk;
  if (key.key.empty() || reader.config.is_null(key.key)) return 0;
  const auto stated = reader.config.find_integer(key.key, kKeys);
  reader.config.note("chunk", fmt::to_string(stated.value_or(key.value)),
                     stated ? reader.config.source(key.key) : reader.of_class);
  return stated.value_or(key.value);
}

SharedAttention read_shared(Reader& reader) {
  const AttentionRule& rule = reader.rule;
  SharedAttention shared{.config = common(reader)};
  shared.config.latent = latent_projections(reader);
  shared.window = window(reader);
  shared.chunk = chunk(reader);
  if (rule.query_scale == QueryScaleFrom::llama4) shared.unrotated_scale = llama4_scale(reader);
  shared.value_dim = value_dim(reader, reader.model.head_dim);
  shared.factor = reader.number("softmax_scale factor", {rule.scale.factor_key, rule.scale.factor},
                                kPositive, false);
  shared.value_is_key = reader.is_on(rule.value_is_key, "v is the projection of k");
  shared.first_sharing = std::ssize(reader.model.layers) - sharing_layers(reader);
  return shared;
}

}  // namespace

SharedAttention read_shared_attention(ConfigReader& config, ModelEncoding& model,
                                      const ModelType& type) {
  Reader reader{config, model, type};
  return read_shared(reader);
}

}  // namespace ropewalk
