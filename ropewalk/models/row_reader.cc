#include "ropewalk/models/row_reader.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/dialects/transformers.h"
#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/input_reader.h"
#include "ropewalk/models/layer_kinds.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {
namespace {

constexpr NumberRule kMaxBias{"a number above 0 and at most 64",
                              [](double value) { return value > 0 && value <= 64; }};

// use(reader, key) with the object that holds the key "a/b", or null where the file has no such
// object.
template <typename Use>
auto at_place(ConfigReader& config, std::string_view path, Use use) {
  const size_t slash = path.find('/');
  if (slash == path.npos) return use(&config, path);
  std::optional<ConfigReader> object = config.find_object(path.substr(0, slash));
  return use(object ? &*object : nullptr, path.substr(slash + 1));
}

// Whether the row holds for this file, by the key on which that depends.
bool holds(ConfigReader* config, std::string_view key, const ModelType& type) {
  const OnlyIf& rule = type.only_if;
  if (config == nullptr) return rule.without;
  if (!rule.never.empty() && config->find_boolean(rule.never).value_or(false)) {
    config->refuse(ErrorCode::unsupported, rule.never, std::string(rule.never_why));
  }
  bool held = false;
  if (rule.value.empty()) {
    held = config->boolean(key, key, {rule.without, default_of(type)});
  } else {
    const auto stated = config->find_text(key);
    held = stated == rule.value;
    if (held || rule.else_none) {
      config->note("encoding", held ? *stated : "none",
                   stated ? config->source(key) : default_of(type));
    }
  }
  if (held || rule.else_none) return held;
  if (rule.refusal.empty()) return held;
  config->refuse(ErrorCode::unsupported, key, std::string(rule.refusal));
}

// The largest exponent of the slopes, with its source.
std::pair<double, std::string> max_bias(ConfigReader& config, const ModelType& type) {
  const NumberKey& rule = type.alibi.max_bias;
  if (rule.key.empty()) return {rule.value, code_of(type)};
  return at_place(config, rule.key, [&](ConfigReader* place, std::string_view key) {
    const auto stated = place != nullptr ? place->find_number(key, kMaxBias) : std::nullopt;
    return std::pair(stated.value_or(rule.value), stated ? place->source(key) : default_of(type));
  });
}

void read_alibi(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  const auto [bias, source] = max_bias(config, type);
  const std::string code = "family: the scores get a bias, nothing turns";
  if (type.only_if.value.empty()) config.note("encoding", "alibi", code);
  config.note("max_bias", fmt::to_string(bias), source);
  config.note("alibi form", std::string(name(type.alibi.form)), code);
  set_positions(model,
                AlibiConfig{.heads = model.heads, .max_bias = bias, .form = type.alibi.form});
  read_attention(config, model, type);
}

void read_none(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  if (!type.has_layers) {
    config.note("encoding", "none", code_of(type));
    return config.note("remark", std::string(type.remark), code_of(type));
  }
  read_heads(config, model, type);
  config.note("encoding", "none", code_of(type));
  if (type.layers.kinds.empty()) return read_attention(config, model, type);
  const StatedLayers layers = stated_layers(config, type.layers);
  std::vector<LayerFacts> facts;
  for (const size_t kind : resolve_kinds(layers, type.layers, model)) {
    facts.push_back({&type.layers.kinds[kind]});
  }
  read_attention(config, model, type, facts);
}

void read_rotary(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  switch (type.special) {
    case Special::none:
      return read_declared(config, model, type);
#define ROPEWALK_SPECIAL(name) \
  case Special::name:          \
    return special::name(config, model, type);
#include "ropewalk/conventions/specials.inc"
#undef ROPEWALK_SPECIAL
  }
}

// The type, where a key of the file has switched its rotation off.
void read_unrotated(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  ModelType plain = type;
  constexpr LayerKind kAlike[] = {{.name = "full_attention"}};
  const std::span<const LayerKind> named =
      type.layers.kinds.empty() ? std::span<const LayerKind>(kAlike) : type.layers.kinds;
  std::vector<LayerKind> kinds(named.begin(), named.end());
  for (LayerKind& kind : kinds) kind.rotates = false;
  plain.layers.kinds = kinds;
  read_rotary(config, model, plain);
}

}  // namespace

void read_row(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const bool held = type.only_if.key.empty() ||
                    at_place(config, type.only_if.key, [&](ConfigReader* place, auto key) {
                      return holds(place, key, type);
                    });
  if (!held && type.only_if.else_none) return read_unrotated(config, model, type);
  if (!held) return read_with_weights(config, model, type, false);
  switch (type.positions) {
    case Positions::rotary:
      return read_rotary(config, model, type);
    case Positions::alibi:
      return read_alibi(config, model, type);
    case Positions::sinusoidal:
      return read_sinusoidal(config, model, type);
    case Positions::none:
      return read_none(config, model, type);
    case Positions::learned:
    case Positions::buckets:
    case Positions::relative:
    case Positions::convolution:
    case Positions::features:
      return read_with_weights(config, model, type);
    case Positions::other:
      config.refuse(ErrorCode::unsupported, "model_type", std::string(type.remark));
  }
}

}  // namespace ropewalk
