#include "ropewalk/dialects/transformers.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "ropewalk/conventions/layer_kinds.h"
#include "ropewalk/dialects/transformers_attention.h"
#include "ropewalk/dialects/transformers_rope.h"

namespace ropewalk {
namespace {

constexpr IntegerRule kLayerNumber{0, int64_t{1} << 20};
constexpr IntegerRule kPeriod{1, 4096};
constexpr NumberRule kBase{"0 or a number of at least 1",
                           [](double value) { return value == 0 || kRopeTheta.holds(value); }};
constexpr std::string_view kLayerTypes = "layer_types";

Said<int64_t> said_max_positions(ConfigReader& config, const ModelType& type) {
  if (!type.max_positions_key.empty() && config.has(type.max_positions_key)) {
    return config.said_integer(type.max_positions_key, kPositionCount);
  }
  return config.said_integer({"max_position_embeddings", "max_sequence_length", "n_positions",
                              "max_seq_len", "seq_length"},
                             kPositionCount);
}

Said<int64_t> said_layers(ConfigReader& config) {
  Said<int64_t> said =
      config.said_integer({"num_hidden_layers", "n_layer", "n_layers", "num_layers",
                           "encoder_layers", "decoder_num_hidden_layers"},
                          kLayerCount);
  // Nemotron-H's files may name each layer, and not count them.
  if (said) return said;
  const auto list = config.find_texts("layers_block_type");
  if (list && !list->empty()) {
    said.value = std::ssize(*list);
    said.source = "derived: the length of " + config.pointer_to("layers_block_type").substr(1);
  }
  return said;
}

// per_layer_config of transformers 5 has, by the numbers of layers, what is theirs.
void read_single_layers(ConfigReader& config, StatedLayers& stated) {
  auto all = config.find_object("per_layer_config");
  if (!all) return;
  for (const auto& [name, value] : all->json().items()) {
    size_t layer = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
    if (error != std::errc{} || end != name.data() + name.size()) continue;
    auto own = all->find_object(name);
    if (!own) continue;
    const auto heads = own->said_integer("num_key_value_heads", kHeadCount);
    const auto head_dim = own->said_integer("head_dim", kHeadDim);
    const std::string source = config.source("per_layer_config");
    if (heads) stated.kv_heads[layer] = {heads.value, source};
    if (head_dim) stated.head_dim[layer] = {head_dim.value, source};
  }
}

// The names of the kinds that a text has letters for.
Said<std::vector<std::string>> said_letters(ConfigReader& config, std::string_view key,
                                            std::span<const LayerKind> kinds) {
  const Said<std::string> text = config.said_text(key);
  if (!text) return {};
  std::vector<std::string> names;
  for (const char letter : *text) {
    const auto kind = kind_with(letter, kinds);
    if (!kind) {
      std::string known;
      for (const LayerKind& one : kinds) {
        if (known.find(letter_of(one)) == known.npos) known += letter_of(one);
      }
      refuse(ErrorCode::unsupported, text.source,
             fmt::format("expected layers of the letters {}, found \"{}\"", fmt::join(known, ", "),
                         escaped(std::string(1, letter))));
    }
    names.emplace_back(kinds[*kind].name);
  }
  return {std::move(names), text.source, text.key};
}

bool holds_text(const ConfigReader& config, std::string_view key) {
  const auto found = config.json().find(std::string(key));
  return found != config.json().end() && found->is_string();
}

// Reads one key; true if it says the kind of each layer, so that no other needs to be asked.
bool read_layer_key(ConfigReader& config, const LayerKey& key, const LayerRule& rule,
                    StatedLayers& stated) {
  switch (key.states) {
    case LayerKey::names:
    case LayerKey::names_repeat:
      stated.names = config.said_texts(key.key);
      stated.names_repeat = key.states == LayerKey::names_repeat;
      return bool{stated.names};
    case LayerKey::letters_repeat:
      if (!holds_text(config, key.key)) return false;  // a number says it in another way
      stated.names_repeat = stated.last_is_first_kind = true;
      [[fallthrough]];
    case LayerKey::letters:
      stated.names = said_letters(config, key.key, rule.kinds);
      return bool{stated.names};
    case LayerKey::indices:
      stated.of_first_kind = config.said_integers(key.key, kLayerNumber);
      return bool{stated.of_first_kind};
    case LayerKey::indices_from_one:
      stated.of_first_kind = config.said_integers(key.key, {1, kLayerNumber.most});
      stated.first_number = 1;
      return bool{stated.of_first_kind};
    case LayerKey::kind_numbers:
      stated.kind_numbers = config.said_integers(key.key, kLayerNumber);
      return bool{stated.kind_numbers};
    case LayerKey::every:
      stated.every = config.said_integer(key.key, kPeriod);
      return false;
    case LayerKey::offset:
      stated.offset = config.said_integer(key.key, {0, kPeriod.most - 1});
      return false;
    case LayerKey::second_from:
      stated.second_from = config.said_integer(key.key, kLayerNumber);
      return false;
    case LayerKey::first_from:
      stated.first_from = config.said_integer(key.key, kLayerNumber);
      return false;
    default:  // of the rotation, not the kind
      return false;
  }
}

// In the first way that the file has; a number that another way would need may then be anything.
void read_kind_names(ConfigReader& config, const LayerRule& rule, StatedLayers& stated) {
  if (config.has(kLayerTypes)) {
    stated.names = config.said_texts(kLayerTypes);
    if (stated.names) return;
  }
  for (const LayerKey& key : rule.keys) {
    if (read_layer_key(config, key, rule, stated)) return;
  }
}

// Which layers rotate, each with its base.
void read_rotating(ConfigReader& config, const LayerRule& rule, StatedLayers& stated) {
  for (const LayerKey& key : rule.keys) {
    if (key.states == LayerKey::rotates) stated.rotates = config.said_integers(key.key, {0, 1});
    if (key.states == LayerKey::rotates_every) {
      stated.rotates_every = config.said_integer(key.key, kPeriod);
    }
    if (key.states == LayerKey::bases) stated.bases = config.said_numbers(key.key, kBase);
  }
}

}  // namespace

StatedLayers stated_layers(ConfigReader& config, const LayerRule& rule) {
  StatedLayers stated;
  const LayerKey* alike = find_key(rule, LayerKey::alike_if_null);
  stated.alike = alike != nullptr && config.is_null(alike->key);
  if (!rule.kinds.empty() && !stated.alike) read_kind_names(config, rule, stated);
  read_rotating(config, rule, stated);
  read_single_layers(config, stated);
  return stated;
}

namespace {

void read_kinds(ConfigReader& config, const ModelType& type, StatedModel& stated) {
  const std::span<const LayerKind> kinds = kinds_of(type.layers, stated.layers.alike);
  stated.states_each_kind = states_each_kind(config);
  const bool one_for_all = turn_alike(kinds) && !stated.states_each_kind;
  for (const LayerKind& kind : kinds) {
    StatedKind& own = stated.kinds.emplace_back();
    own.rotary_dim = config.said_integer(type.rotary_dim_key, {2, 65536});
    own.head_dim = config.said_integer(kind.head_dim_key, kHeadDim);
    own.kv_heads = config.said_integer(kind.kv_heads_key, kHeadCount);
    const bool first = stated.kinds.size() == 1;
    if (!kind.rotates || type.fixed_theta || (one_for_all && !first)) continue;
    RopeRule rule = rope_rule(type, kind);
    if (one_for_all) rule.kind = {};
    own.rope = stated_rope(config, rule);
  }
}

}  // namespace

RopeRule rope_rule(const ModelType& type, const LayerKind& kind) {
  return {.rope_theta = {0, {}},
          .theta_key = kind.theta_key,
          .theta_alias = type.theta_key,
          .fraction_alias = type.fraction_key,
          .kind = kind.name,
          .windowed = kind.windowed,
          .takes_rope_scaling = kind.takes_rope_scaling,
          .several_axes = type.multi_axis.axes > 0,
          .yarn_type = type.yarn_type,
          .reads_alpha = type.reads_alpha,
          .scales_queries = type.attention.query_scale == QueryScaleFrom::mistral,
          .dynamic_factor = type.dynamic.factor,
          .dynamic_length = type.dynamic.length,
          .default_rope = type.default_rope};
}

StatedSize stated_size(ConfigReader& config, const ModelType& type) {
  StatedSize stated;
  stated.hidden_size = config.said_integer(
      {"hidden_size", "n_embd", "d_model", "dim", "n_embed", "emb_dim"}, kHiddenSize);
  stated.heads =
      config.said_integer({"num_attention_heads", "n_head", "n_heads", "encoder_attention_heads",
                           "attention_heads", "decoder_num_attention_heads"},
                          kHeadCount);
  stated.kv_heads = config.said_integer({"num_key_value_heads", "num_kv_heads", "n_kv_heads",
                                         "num_attention_groups", "decoder_num_key_value_heads"},
                                        kHeadCount);
  if (type.latent.rope_dim == 0) {
    stated.head_dim = config.said_integer(type.head_dim_key, kHeadDim);
  } else {
    config.ignore("head_dim");  // of what turns, where the class has one
  }
  stated.layers = said_layers(config);
  stated.max_positions = said_max_positions(config, type);
  return stated;
}

StatedLatent stated_latent(ConfigReader& config, const ModelType& type) {
  if (type.latent.rope_dim == 0) return {};
  StatedLatent stated;
  stated.nope_dim = config.said_integer("qk_nope_head_dim", {0, 65536, 2});
  stated.rope_dim = config.said_integer("qk_rope_head_dim", kHeadDim);
  stated.q_rank = config.said_integer("q_lora_rank", kRank);
  stated.kv_rank = config.said_integer("kv_lora_rank", kRank);
  stated.eps = config.said_number(type.latent.eps_key, kEps);
  if (type.latent.key_decides) stated.interleaved = config.said_boolean("rope_interleave");
  return stated;
}

StatedModel stated_model(ConfigReader& config, const ModelType& type) {
  StatedModel stated{.label = config.label(), .is_part = config.is_part()};
  stated.size = stated_size(config, type);
  stated.latent = stated_latent(config, type);
  stated.layers = stated_layers(config, type.layers);
  read_kinds(config, type, stated);
  stated.attention = stated_attention(config, type);
  return stated;
}

}  // namespace ropewalk
