// StepFun's Step 3.5 and 3.7: a base and a rotated part of the head for each layer, which agree in
// all layers of one kind.
// Source: configuration_step3p7.py and modeling_step3p7.py of transformers.

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/check_scaling.h"
#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/layer_kinds.h"
#include "ropewalk/models/rope_keys.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {
namespace {

constexpr std::string_view kThetas = "rope_theta";
constexpr std::string_view kFactors = "partial_rotary_factors";
constexpr std::string_view kTypesKey = "layer_types";

// A list may go on with the layers that predict further tokens.
void check_length(const ConfigReader& config, std::string_view key, size_t found, size_t layers,
                  size_t more) {
  if (found == layers || found == layers + more) return;
  config.refuse(
      ErrorCode::malformed, key,
      fmt::format("expected {} entries, one for each layer{}, found {}", layers,
                  more == 0 ? "" : fmt::format(", or {} with the predicting ones", layers + more),
                  found));
}

struct Lists {
  std::vector<std::string> kinds;
  std::optional<std::vector<double>> thetas, factors;
};

Lists read_lists(ConfigReader& config, size_t layers) {
  const auto more =
      static_cast<size_t>(config.find_integer("num_nextn_predict_layers", {0, 4096}).value_or(0));
  Lists lists;
  lists.kinds =
      config.find_texts(kTypesKey).value_or(std::vector<std::string>(layers, "full_attention"));
  config.note(kTypesKey, fmt::format("of {} layers", layers),
              config.has(kTypesKey) ? config.source(kTypesKey) : "default: all full_attention");
  check_length(config, kTypesKey, lists.kinds.size(), layers, more);
  const auto thetas = config.json().find(std::string(kThetas));
  if (thetas != config.json().end() && thetas->is_array()) {
    lists.thetas = config.find_numbers(kThetas, kRopeTheta);
    check_length(config, kThetas, lists.thetas->size(), layers, more);
  }
  constexpr NumberRule kFraction{"a number above 0 and at most 1",
                                 [](double value) { return value > 0 && value <= 1; }};
  lists.factors = config.find_numbers(kFactors, kFraction);
  if (lists.factors) check_length(config, kFactors, lists.factors->size(), layers, more);
  return lists;
}

// What the list says of all layers of a kind; of the first, if they agree.
double agreed(const ConfigReader& config, std::string_view key, const std::vector<double>& list,
              const Lists& lists, size_t first, size_t layers) {
  for (size_t i = first + 1; i < layers; ++i) {
    if (lists.kinds[i] != lists.kinds[first] || list[i] == list[first]) continue;
    config.refuse(ErrorCode::unsupported, key,
                  fmt::format("expected {} for layer {} as for layer {}, both {}, found {}",
                              list[first], i, first, escaped(lists.kinds[i]), list[i]));
  }
  return list[first];
}

RopeConfig rope_of_kind(ConfigReader& config, const ModelEncoding& model, const ModelType& type,
                        const Lists& lists, size_t first) {
  const std::string kind = lists.kinds[first];
  const size_t layers = model.layers.size();
  std::string reason = default_of(type);
  RopeRule rule{.rope_theta = {type.rope_theta, reason},
                .kind = kind,
                .takes_rope_scaling = kind == "full_attention",
                .max_positions = model.max_positions};
  if (lists.thetas) {
    reason = config.source(kThetas);
    rule.rope_theta = {agreed(config, kThetas, *lists.thetas, lists, first, layers), reason};
    rule.theta_key = {};
  }
  const auto keys = read_rope_keys(config, rule);
  if (!keys) {
    config.refuse(ErrorCode::malformed, "rope_parameters",
                  fmt::format("expected an object for {}, found null", kind));
  }
  double fraction = keys->partial_rotary_factor.value_or(1);
  std::string source = keys->partial_rotary_factor ? keys->fraction_source : default_of(type);
  if (lists.factors && !keys->partial_rotary_factor) {
    fraction = agreed(config, kFactors, *lists.factors, lists, first, layers);
    source = config.source(kFactors);
  }
  config.note(kind + " partial_rotary_factor", fmt::to_string(fraction), source);
  RopeConfig rope;
  rope.rope_theta = keys->rope_theta;
  rope.rope_type = keys->rope_type;
  rope.parameters = keys->parameters;
  rope.lists = keys->lists;
  rope.rotary_dim = static_cast<int64_t>(static_cast<double>(model.head_dim) * fraction);
  if (rope.rotary_dim < 2 || rope.rotary_dim % 2 != 0) {
    config.refuse(
        ErrorCode::unsupported, kFactors,
        fmt::format("expected an even number of rotated channels, found {}", rope.rotary_dim));
  }
  rope.layout = {model.head_dim, {{0, rope.rotary_dim, Pairing::half_split}}};
  check_scaling(config, rope);
  return rope;
}

// Heads of the layers with a window: the files' attention_other_setting, or what transformers
// writes.
void read_sliding_heads(ConfigReader& config, ModelEncoding& model, const Lists& lists) {
  std::optional<int64_t> heads = config.find_integer("num_sliding_attention_heads", kHeadCount);
  std::optional<int64_t> groups;
  std::string source = config.source("num_sliding_attention_heads");
  if (auto other = config.find_object("attention_other_setting")) {
    heads = other->find_integer("num_attention_heads", kHeadCount);
    groups = other->find_integer("num_attention_groups", kHeadCount);
    source = config.source("attention_other_setting");
  }
  if (!heads) return;
  config.note("heads of sliding_attention", fmt::to_string(*heads), source);
  for (size_t i = 0; i < model.layers.size(); ++i) {
    if (lists.kinds[i] == "full_attention") continue;
    model.layers[i].heads = *heads;
    model.layers[i].kv_heads = groups.value_or(model.kv_heads);
  }
}

}  // namespace

void special::step(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  const Lists lists = read_lists(config, model.layers.size());
  for (const char* kind : {"full_attention", "sliding_attention"}) {
    std::optional<RopeConfig> rope;
    for (size_t i = 0; i < model.layers.size(); ++i) {
      if (lists.kinds[i] != kind) continue;
      if (!rope) rope = rope_of_kind(config, model, type, lists, i);
      model.layers[i].positions = *rope;
    }
  }
  for (size_t i = 0; i < model.layers.size(); ++i) {
    if (std::holds_alternative<RopeConfig>(model.layers[i].positions)) continue;
    config.refuse(ErrorCode::unsupported, kTypesKey,
                  fmt::format("expected layers of the kinds full_attention, sliding_attention, "
                              "found \"{}\"",
                              escaped(lists.kinds[i])));
  }
  config.note("pairing", "half_split",
              fmt::format("family: rotate_half in the code of {}", type.name));
  std::vector<LayerFacts> facts;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    facts.push_back(
        {lists.kinds[i] == "full_attention" ? &kFullAndSliding[0] : &kFullAndSliding[1]});
  }
  read_sliding_heads(config, model, lists);
  read_attention(config, model, type, facts);
}

}  // namespace ropewalk
