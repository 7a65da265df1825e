#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/check_scaling.h"
#include "ropewalk/models/heads.h"
#include "ropewalk/models/layer_kinds.h"
#include "ropewalk/models/model_type.h"
#include "ropewalk/models/rope_keys.h"

namespace ropewalk {
namespace {

constexpr LayerKind kAllAlike{};
constexpr std::string_view kTemperatureBeta = "llama_4_scaling_beta";
constexpr std::string_view kTemperatureLength = "llama_4_scaling_length";  // of a params.json
constexpr std::string_view kMistralFacts[] = {kTemperatureBeta, kTemperatureLength};

struct KindReader {
  ConfigReader& config;
  ModelEncoding& model;
  const ModelType& type;
  const LayerKind& kind;
  size_t first_layer = 0;  // of the kind

  // Facts about one kind bear its name.
  void note(std::string_view field, std::string value, std::string source) {
    config.note(kind.name.empty() ? std::string(field) : fmt::format("{} {}", kind.name, field),
                std::move(value), std::move(source));
  }
};

RopeRule rule_of(const KindReader& reader, std::string_view reason) {
  const ModelType& type = reader.type;
  const LayerKind& kind = reader.kind;
  return {.rope_theta = {kind.rope_theta != 0 ? kind.rope_theta : type.rope_theta, reason},
          .theta_key = kind.theta_key,
          .theta_alias = type.theta_key,
          .fraction_alias = type.fraction_key,
          .kind = kind.name,
          .windowed = kind.windowed,
          .takes_rope_scaling = kind.takes_rope_scaling,
          .several_axes = type.multi_axis.axes > 0,
          .yarn_type = type.yarn_type,
          .reads_alpha = type.reads_alpha,
          .facts = type.attention.query_scale == QueryScaleFrom::mistral
                       ? std::span<const std::string_view>(kMistralFacts)
                       : std::span<const std::string_view>{},
          .dynamic_factor = type.dynamic.factor,
          .dynamic_length = type.dynamic.length,
          .rope_parameters = type.rope_parameters,
          .max_positions = reader.model.max_positions};
}

int64_t even(const ConfigReader& config, std::string_view key, int64_t dim, int64_t head_dim) {
  if (dim >= 2 && dim % 2 == 0 && dim <= head_dim) return dim;
  config.refuse(
      ErrorCode::unsupported, key,
      fmt::format("expected an even number of rotated channels in 2..{}, found {}", head_dim, dim));
}

// The whole head is the window; the scaling lets the slow pairs of it stand still.
int64_t proportional_dim(KindReader& reader, RopeKeys& keys, int64_t head_dim) {
  const ModelType& type = reader.type;
  const double of_kind =
      reader.kind.rotary_fraction != 0 ? reader.kind.rotary_fraction : type.rotary_fraction;
  const double fraction =
      keys.partial_rotary_factor.value_or(type.fraction == Fraction::whole_head ? 1 : of_kind);
  keys.parameters["partial_rotary_factor"] = fraction;
  reader.note("partial_rotary_factor", fmt::to_string(fraction),
              keys.partial_rotary_factor ? keys.fraction_source : default_of(type));
  reader.note("rotary_dim", fmt::to_string(head_dim),
              fmt::format("family: the whole head, of which {} channels turn",
                          2 * static_cast<int64_t>(fraction * static_cast<double>(head_dim) / 2)));
  return head_dim;
}

// transformers makes a speed for each two channels, the last one included, with exponents 2 i / dim
// of the odd number, and turns as many pairs as there are speeds. The base to the power of
// (dim + 1) / dim gives the even number the same speeds.
void round_up(KindReader& reader, RopeKeys& keys, int64_t& dim) {
  const auto odd = static_cast<double>(dim);
  keys.rope_theta = std::pow(keys.rope_theta, (odd + 1) / odd);
  reader.note("rope_theta", fmt::to_string(keys.rope_theta),
              fmt::format("derived: rope_theta^({0}/{1}), which gives {0} channels the speeds of "
                          "{1}",
                          dim + 1, dim));
  ++dim;
}

// The channels that turn, of a head of `head_dim`.
int64_t rotary_dim(KindReader& reader, RopeKeys& keys, int64_t head_dim) {
  const ModelType& type = reader.type;
  ConfigReader& config = reader.config;
  if (!type.rotary_dim_key.empty()) {
    const auto stated = config.find_integer(type.rotary_dim_key, {2, 65536});
    if (stated || type.rotary_dim > 0) {
      const int64_t dim =
          even(config, type.rotary_dim_key, stated.value_or(type.rotary_dim), head_dim);
      reader.note("rotary_dim", fmt::to_string(dim),
                  stated ? config.source(type.rotary_dim_key) : default_of(type));
      return dim;
    }
  }
  if (keys.rope_type == "proportional") return proportional_dim(reader, keys, head_dim);
  if (type.fraction == Fraction::whole_head) {
    if (keys.partial_rotary_factor && *keys.partial_rotary_factor != 1) {
      config.warn(
          fmt::format("partial_rotary_factor is {}, but the code of the {} family rotates "
                      "the whole head",
                      *keys.partial_rotary_factor, type.name));
    }
    reader.note("rotary_dim", fmt::to_string(head_dim), "family: the whole head");
    return head_dim;
  }
  const double fallback =
      reader.kind.rotary_fraction != 0 ? reader.kind.rotary_fraction : type.rotary_fraction;
  const double fraction = keys.partial_rotary_factor.value_or(fallback);
  reader.note("partial_rotary_factor", fmt::to_string(fraction),
              keys.partial_rotary_factor ? keys.fraction_source : default_of(type));
  auto dim = static_cast<int64_t>(static_cast<double>(head_dim) * fraction);
  if (type.rounds_odd_up && dim % 2 == 1 && dim < head_dim) round_up(reader, keys, dim);
  reader.note("rotary_dim", fmt::to_string(even(config, "partial_rotary_factor", dim, head_dim)),
              "derived: int(head_dim * partial_rotary_factor)");
  return dim;
}

RotaryLayout layout(int64_t head_dim, int64_t offset, int64_t dim, Pairing pairing) {
  return {head_dim, {{offset, dim, pairing}}};
}

void set_latent_layout(KindReader& reader, RopeConfig& rope, int64_t head_dim) {
  const LatentHead& latent = reader.type.latent;
  Pairing pairing = reader.type.pairing;
  bool moves = latent.writes_half_split;
  std::string source = fmt::format("family: the code of {}", reader.type.name);
  if (latent.key_decides) {
    const bool interleaved = reader.config.boolean("rope_interleave", "rope_interleave",
                                                   {true, default_of(reader.type)});
    pairing = interleaved ? Pairing::interleaved : Pairing::half_split;
    moves = moves && interleaved;
    source = "derived: rope_interleave";
  }
  const int64_t offset = head_dim - rope.rotary_dim;
  rope.layout = layout(head_dim, offset, rope.rotary_dim, pairing);
  reader.note("pairing", std::string(name(pairing)), source);
  if (moves) {
    rope.output_layout = layout(head_dim, offset, rope.rotary_dim, Pairing::half_split);
    reader.note("pairing written", "half_split", "family: apply_rotary_pos_emb_interleave");
  }
}

void set_axes(KindReader& reader, const RopeKeys& keys, RopeConfig& rope) {
  const MultiAxis& rule = reader.type.multi_axis;
  if (rule.axes == 0) return;
  rope.position_axes = rule.axes;
  rope.mrope_section = keys.mrope_section;
  if (rope.mrope_section.empty()) {
    rope.mrope_section.assign(rule.section, rule.section + rule.axes);
    if (rule.section[0] == 0) {
      reader.config.refuse(ErrorCode::malformed, "rope_scaling",
                           "expected a mrope_section, the pairs of each axis of the positions; "
                           "found no such key");
    }
    reader.note("mrope_section", fmt::format("{}", fmt::join(rope.mrope_section, " ")),
                default_of(reader.type));
  }
  const int64_t pairs =
      std::accumulate(rope.mrope_section.begin(), rope.mrope_section.end(), int64_t{0});
  if (std::ssize(rope.mrope_section) != rule.axes || pairs != rope.rotary_dim / 2) {
    reader.config.refuse(
        ErrorCode::malformed, "rope_scaling",
        fmt::format("expected a mrope_section of {} numbers whose sum is the {} "
                    "pairs, found {} whose sum is {}",
                    rule.axes, rope.rotary_dim / 2, rope.mrope_section.size(), pairs));
  }
  rope.mrope_order = rule.order;
  if (rule.key_decides && keys.mrope_interleaved) {
    rope.mrope_order = *keys.mrope_interleaved ? MropeOrder::interleaved : MropeOrder::contiguous;
  } else if (keys.mrope_interleaved &&
             *keys.mrope_interleaved == (rule.order == MropeOrder::contiguous)) {
    reader.config.warn(
        fmt::format("mrope_interleaved is {}, but the code of {} does not read it: its axes are {}",
                    *keys.mrope_interleaved, reader.type.name, name(rule.order)));
  }
  reader.note("mrope_order", std::string(name(rope.mrope_order)),
              fmt::format("family: the code of {}", reader.type.name));
}

// per_layer_config of transformers 5 has, by the numbers of layers, what is theirs; of the first
// layer of a kind that it names.
std::optional<int64_t> stated_for_layer(ConfigReader& config, size_t layer, std::string_view key,
                                        const IntegerRule& rule) {
  auto all = config.find_object("per_layer_config");
  auto own = all ? all->find_object(fmt::to_string(layer)) : std::nullopt;
  return own ? own->find_integer(key, rule) : std::nullopt;
}

int64_t head_dim_of_kind(KindReader& reader) {
  const LayerKind& kind = reader.kind;
  if (kind.head_dim_key.empty()) return reader.model.head_dim;
  if (const auto own = stated_for_layer(reader.config, reader.first_layer, "head_dim", kHeadDim)) {
    reader.note("head_dim", fmt::to_string(*own), reader.config.source("per_layer_config"));
    return *own;
  }
  const auto stated = reader.config.find_integer(kind.head_dim_key, kHeadDim);
  const int64_t dim = stated.value_or(kind.head_dim);
  reader.note("head_dim", fmt::to_string(dim),
              stated ? reader.config.source(kind.head_dim_key) : default_of(reader.type));
  return dim;
}

// What the rope keys say of one kind of layer.
struct KindFacts {
  PositionEncoding positions;
  std::optional<QueryScale> query_scale{};
};

// Mistral's temperature, a part of the rope block.
std::optional<QueryScale> query_scale(const KindReader& reader, const RopeKeys& keys) {
  if (reader.type.attention.query_scale != QueryScaleFrom::mistral) return std::nullopt;
  const auto beta = keys.facts.find(kTemperatureBeta);
  if (beta == keys.facts.end()) return std::nullopt;
  const auto own = keys.facts.find(kTemperatureLength);
  const auto original = keys.parameters.find("original_max_position_embeddings");
  const double length = own != keys.facts.end()             ? own->second
                        : original != keys.parameters.end() ? original->second
                                                            : 0;
  if (!(length >= 1 && length <= 0x1p53)) {
    reader.config.refuse(
        ErrorCode::malformed, "rope_parameters",
        fmt::format(
            "expected an original_max_position_embeddings of at least 1 beside {}, found {}",
            kTemperatureBeta, length));
  }
  return QueryScale{QueryScale::Rule::log_floor, beta->second, static_cast<int64_t>(length), 0};
}

KindFacts encoding_of_kind(KindReader reader) {
  if (!reader.kind.rotates) {
    reader.note("encoding", "none", fmt::format("family: the code of {}", reader.type.name));
    return {NoEncoding{}};
  }
  const std::string reason = default_of(reader.type);
  std::optional<RopeKeys> keys = RopeKeys{.rope_theta = reader.type.rope_theta};
  if (reader.type.fixed_theta) {
    reader.note(
        "rope_theta", fmt::to_string(keys->rope_theta),
        fmt::format("family: written into the code of {}, no key is read", reader.type.name));
  } else {
    keys = read_rope_keys(reader.config, rule_of(reader, reason));
  }
  if (!keys) return {NoEncoding{}};
  const int64_t head_dim = head_dim_of_kind(reader);
  RopeConfig rope;
  rope.rope_type = keys->rope_type;
  rope.lists = keys->lists;
  rope.reversed = reader.type.reversed;
  if (rope.reversed) reader.note("direction", "reversed", "family: rotate_half has the other sign");
  if (reader.type.latent.rope_dim > 0) {
    rope.rotary_dim = reader.config.find_integer("qk_rope_head_dim", kHeadDim)
                          .value_or(reader.type.latent.rope_dim);
    reader.note("rotary_dim", fmt::to_string(rope.rotary_dim), "family: the last channels");
    set_latent_layout(reader, rope, head_dim);
  } else {
    rope.rotary_dim = rotary_dim(reader, *keys, head_dim);
    rope.layout = layout(head_dim, 0, rope.rotary_dim, reader.type.pairing);
    reader.note("pairing", std::string(name(reader.type.pairing)),
                fmt::format("family: {} in the code of {}",
                            reader.type.pairing == Pairing::half_split ? "rotate_half"
                                                                       : "pairs of neighbours",
                            reader.type.name));
  }
  rope.rope_theta = keys->rope_theta;
  rope.parameters = keys->parameters;
  set_axes(reader, *keys, rope);
  check_scaling(reader.config, rope);
  return {rope, query_scale(reader, *keys)};
}

// Heads of k and v of the kinds that have their own.
void read_kv_heads_of_kinds(ConfigReader& config, ModelEncoding& model,
                            std::span<const LayerFacts> facts) {
  const LayerKind* noted = nullptr;
  for (size_t i = 0; i < facts.size(); ++i) {
    const LayerKind* kind = facts[i].kind;
    if (kind == nullptr || kind->kv_heads_key.empty()) continue;
    const auto stated = config.find_integer(kind->kv_heads_key, kHeadCount);
    model.layers[i].kv_heads = stated.value_or(model.kv_heads * kind->kv_heads_factor);
    if (noted == kind) continue;
    noted = kind;
    config.note(fmt::format("{} kv_heads", kind->name), fmt::to_string(model.layers[i].kv_heads),
                stated
                    ? config.source(kind->kv_heads_key)
                    : fmt::format("derived: {} times num_key_value_heads", kind->kv_heads_factor));
  }
}

// The rotation is stated for each kind by its name.
bool states_each_kind(const ConfigReader& config) {
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const auto block = config.json().find(key);
    if (block == config.json().end() || !block->is_object()) continue;
    for (const auto& [name, value] : block->items()) {
      if (value.is_object() || value.is_null()) return true;
    }
  }
  return false;
}

}  // namespace

void read_declared(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  const bool alike = type.layers.kinds.empty() || (!type.layers.all_rotate_if_null.empty() &&
                                                   config.is_null(type.layers.all_rotate_if_null));
  const std::span<const LayerKind> kinds =
      alike ? std::span<const LayerKind>(&kAllAlike, 1) : type.layers.kinds;
  std::vector<size_t> of_layer(model.layers.size(), 0);
  if (!alike) {
    of_layer = read_layer_kinds(config, type.layers, model.layers.size());
  }
  const std::vector<bool> rotates = read_rotating_layers(config, type.layers, model.layers.size());
  const bool one_by_one = states_each_kind(config);
  std::vector<std::optional<KindFacts>> of_kind(kinds.size());
  std::vector<LayerFacts> facts(model.layers.size());
  for (size_t i = 0; i < model.layers.size(); ++i) {
    size_t kind = of_layer[i];
    facts[i].kind = alike ? nullptr : &kinds[kind];
    for (size_t k = 0; k < kinds.size() && !one_by_one; ++k) {
      if (of_kind[k] && same_positions(kinds[k], kinds[kind])) kind = k;
    }
    if (!of_kind[kind]) {
      LayerKind read_as = kinds[kind];
      if (turn_alike(kinds) && !one_by_one) read_as.name = {};
      of_kind[kind] = encoding_of_kind({config, model, type, read_as, i});
    }
    if (!rotates[i]) continue;
    model.layers[i].positions = of_kind[kind]->positions;
    facts[i].query_scale = of_kind[kind]->query_scale;
  }
  read_layer_bases(config, type.layers, model.layers);
  read_kv_heads_of_kinds(config, model, facts);
  for (size_t i = 0; i < model.layers.size() && config.has("per_layer_config"); ++i) {
    const auto own = stated_for_layer(config, i, "num_key_value_heads", kHeadCount);
    if (own) model.layers[i].kv_heads = *own;
  }
  read_attention(config, model, type, facts);
}

std::string encoding_in_words(const ModelType& type) {
  if (!type.encoding.empty()) return std::string(type.encoding);
  std::string words = fmt::format("RoPE {}", name(type.pairing));
  if (type.latent.rope_dim > 0) {
    words += fmt::format(" on the last {} channels", type.latent.rope_dim);
  } else if (type.rotary_dim > 0) {
    words += fmt::format(" on the first {} channels", type.rotary_dim);
  } else if (type.fraction == Fraction::leading && type.rotary_fraction < 1) {
    words += fmt::format(" on the first {} of the head", type.rotary_fraction);
  } else {
    words += " on the whole head";
  }
  if (type.multi_axis.axes > 0) words += fmt::format(", {} axes", type.multi_axis.axes);
  for (const LayerKind& kind : type.layers.kinds) {
    if (!kind.rotates) words += fmt::format(", none in {}", kind.name);
  }
  if (type.layers.no_rope_interval > 0) {
    words += fmt::format(", none in one layer of {}", type.layers.no_rope_interval);
  }
  return words;
}

}  // namespace ropewalk
