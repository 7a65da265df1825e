#include "ropewalk/models/rope_keys.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/nearest_name.h"
#include "ropewalk/spectrum/scaling_parameters.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

constexpr NumberRule kFraction{"a number above 0 and at most 1",
                               [](double value) { return value > 0 && value <= 1; }};
constexpr NumberRule kGrowth{"a number of at least 1", [](double value) { return value >= 1; }};
constexpr std::string_view kOriginal = "original_max_position_embeddings";
constexpr std::string_view kMaxPositions = "max_position_embeddings";

// The name of a fact about one kind of layer: "full_attention rope_theta".
std::string field(const RopeRule& rule, std::string_view name) {
  return rule.kind.empty() ? std::string(name) : fmt::format("{} {}", rule.kind, name);
}

// The name of the scaling as make_spectrum knows it.
std::string canonical(const ConfigReader& block, std::string_view key, const std::string& type) {
  const std::vector<std::string_view> known = rope_types();
  for (const RopeTypeAlias& other : rope_type_aliases()) {
    if (other.alias == type) return std::string(other.rope_type);
  }
  if (std::find(known.begin(), known.end(), type) != known.end()) return type;
  block.refuse(ErrorCode::unsupported, key,
               fmt::format("expected one of {}, found \"{}\"{}", fmt::join(known, ", "),
                           escaped(type), did_you_mean(type, known)));
}

// "rope_type", or "type" as it was called before transformers 4.43.
std::string read_rope_type(ConfigReader& block, const RopeRule& rule) {
  const std::optional<std::string> type = block.find_text("rope_type");
  const std::optional<std::string> old_type = block.find_text("type");
  const std::string_view key = type || !old_type ? "rope_type" : "type";
  if (!type && !old_type && block.has("factor")) {
    block.refuse(ErrorCode::malformed, "rope_type",
                 "expected the name of a scaling, because there is a factor; found no such key");
  }
  std::string result = canonical(block, key, type ? *type : old_type.value_or("default"));
  if (type && old_type && canonical(block, "type", *old_type) != result) {
    block.refuse(ErrorCode::malformed, "type",
                 fmt::format("expected \"{}\" as in rope_type, found \"{}\"", escaped(*type),
                             escaped(*old_type)));
  }
  if (result == "yarn" && !rule.yarn_type.empty()) result = rule.yarn_type;
  block.note(field(rule, "rope_type"), result,
             type || old_type ? block.source(key)
                              : fmt::format("default: {} is absent", block.pointer_to(key)));
  return result;
}

bool is_nested(const ConfigReader& block) {
  for (const auto& [key, value] : block.json().items()) {
    if (value.is_object()) return true;
  }
  return false;
}

// A number, or where it is a flag true and false as 1 and 0.
std::optional<double> read_parameter(ConfigReader& block, const ScalingParameter& parameter) {
  const auto found = block.json().find(std::string(parameter.key));
  const bool boolean = parameter.kind == ParameterKind::boolean && found != block.json().end() &&
                       found->is_boolean();
  const std::optional<double> value =
      boolean ? std::optional<double>(*block.find_boolean(parameter.key) ? 1 : 0)
              : block.find_number(parameter.key, {parameter.rule.expected, parameter.rule.holds});
  if (value && !parameter.rule.holds(*value)) {
    block.refuse(ErrorCode::malformed, parameter.key,
                 fmt::format("expected {}, found {}", parameter.rule.expected, described(*found)));
  }
  return value;
}

// Stated at the top of the file it wins over the block (Phi 3); stated nowhere it is the context.
void read_original_length(ConfigReader& config, ConfigReader& block, const RopeRule& rule,
                          const ScalingParameter& parameter, RopeKeys& keys) {
  const std::optional<double> inside = read_parameter(block, parameter);
  const std::optional<double> top = read_parameter(config, parameter);
  if (inside && top && *inside != *top) {
    config.warn(fmt::format("{} says {}, but {} says {}: the first counts",
                            config.pointer_to(kOriginal), *top, block.pointer_to(kOriginal),
                            *inside));
  }
  if (!top && !inside && rule.max_positions == 0) return;
  if (!top && !inside) {
    config.warn(fmt::format("{} is stated nowhere: the context of {} stands for it",
                            block.pointer_to(kOriginal), rule.max_positions));
  }
  const double value = top ? *top : inside.value_or(static_cast<double>(rule.max_positions));
  keys.parameters[std::string(kOriginal)] = value;
  config.note(field(rule, kOriginal), fmt::to_string(value),
              top      ? config.source(kOriginal)
              : inside ? block.source(kOriginal)
                       : "default: max_position_embeddings");
}

void read_list(ConfigReader& block, const RopeRule& rule, const ScalingParameter& parameter,
               RopeKeys& keys) {
  const std::string key(parameter.key);
  const auto values = block.find_numbers(key, {parameter.rule.expected, parameter.rule.holds});
  if (!values) return;
  keys.lists[key] = *values;
  block.note(field(rule, key), fmt::format("{} numbers", values->size()), block.source(key));
}

void read_parameters(ConfigReader& config, ConfigReader& block, const RopeRule& rule,
                     RopeKeys& keys) {
  read_list(block, rule, kFreqFactors, keys);
  for (const ScalingParameter& parameter : scaling_parameters(keys.rope_type)) {
    const std::string key(parameter.key);
    if (key == kOriginal) {
      read_original_length(config, block, rule, parameter, keys);
      continue;
    }
    if (key == kMaxPositions) {
      // The model's own length; a copy of it in the block is not read by anyone.
      if (rule.max_positions > 0) keys.parameters[key] = static_cast<double>(rule.max_positions);
      block.ignore(key);
      continue;
    }
    if (key == "alpha" && !rule.reads_alpha) continue;
    if (key == "partial_rotary_factor") {
      if (keys.partial_rotary_factor) keys.parameters[key] = *keys.partial_rotary_factor;
      continue;
    }
    if (parameter.kind == ParameterKind::list) {
      read_list(block, rule, parameter, keys);
    } else if (const auto value = read_parameter(block, parameter)) {
      if (key == "factor" && *value < 1) {
        block.refuse(ErrorCode::malformed, key,
                     fmt::format("expected at least 1, the growth of the context (llama.cpp's rope "
                                 "scale is 1 / factor), found {}",
                                 *value));
      }
      keys.parameters[key] = *value;
      block.note(field(rule, key), fmt::to_string(*value), block.source(key));
    }
    if (parameter.required() && !keys.parameters.contains(key) && !keys.lists.contains(key)) {
      block.refuse(ErrorCode::malformed, key,
                   fmt::format("rope_type {} needs {}{}, found no such key", keys.rope_type,
                               parameter.kind == ParameterKind::list ? "a list, each entry " : "",
                               parameter.rule.expected));
    }
  }
}

void read_sections(ConfigReader& block, const RopeRule& rule, RopeKeys& keys) {
  if (!rule.several_axes) return;
  const IntegerRule pairs{0, 65536};
  for (const std::string_view key : {"mrope_section", "xdrope_section"}) {
    const auto section = block.find_integers(key, pairs);
    if (!section) continue;
    keys.mrope_section = *section;
    block.note(field(rule, "mrope_section"), fmt::format("{}", fmt::join(*section, " ")),
               block.source(key));
  }
  keys.mrope_interleaved = block.find_boolean("mrope_interleaved");
}

struct Stated {
  double value = 0;
  std::string source;
};

void read_theta(ConfigReader& place, std::string_view key, const RopeRule& rule,
                std::optional<Stated>& stated) {
  if (const size_t slash = key.find('/'); slash != key.npos) {
    std::optional<ConfigReader> inner = place.find_object(key.substr(0, slash));
    if (inner) read_theta(*inner, key.substr(slash + 1), rule, stated);
    return;
  }
  const std::optional<double> theta = place.find_number(key, kRopeTheta);
  if (!theta) return;
  if (stated && stated->value != *theta) {
    if (!rule.kind.empty()) {
      place.warn(fmt::format("{} is {}, and not used: {} says {}", place.pointer_to(key), *theta,
                             stated->source, stated->value));
      return;
    }
    place.refuse(
        ErrorCode::malformed, key,
        fmt::format("expected {} as in {}, found {}", stated->value, stated->source, *theta));
  }
  if (!stated) stated = {*theta, place.source(key)};
}

void read_fraction(ConfigReader& place, std::string_view key, RopeKeys& keys) {
  const auto fraction = place.find_number(key, kFraction);
  if (!fraction || keys.partial_rotary_factor) return;
  keys.partial_rotary_factor = fraction;
  keys.fraction_source = place.source(key);
}

// What one block (or none) and the keys at the top of the file say.
RopeKeys read_block(ConfigReader& config, ConfigReader* block, const RopeRule& rule) {
  RopeKeys keys;
  std::optional<Stated> theta;
  if (rule.top_theta_first) read_theta(config, rule.theta_key, rule, theta);
  if (block != nullptr) {
    keys.rope_type = read_rope_type(*block, rule);
    read_theta(*block, "rope_theta", rule, theta);
    read_fraction(*block, "partial_rotary_factor", keys);
  }
  read_theta(config, rule.theta_key, rule, theta);
  if (!rule.theta_alias.empty()) read_theta(config, rule.theta_alias, rule, theta);
  read_fraction(config, "partial_rotary_factor", keys);
  if (!rule.fraction_alias.empty()) read_fraction(config, rule.fraction_alias, keys);
  if (block != nullptr) {
    read_sections(*block, rule, keys);
    for (const std::string_view fact : rule.facts) {
      const auto value = block->find_number(fact, {"a number", [](double) { return true; }});
      if (!value) continue;
      keys.facts.emplace(fact, *value);
      block->note(fact, fmt::to_string(*value), block->source(fact));
    }
    read_parameters(config, *block, rule, keys);
    block->warn_unread();
  }
  keys.rope_theta = theta ? theta->value : rule.rope_theta.value;
  if (!theta && !rule.windowed) config.base_is_not_stated();
  config.note(field(rule, "rope_theta"), fmt::to_string(keys.rope_theta),
              theta ? theta->source : std::string(rule.rope_theta.reason));
  check_rope_theta(config, keys.rope_theta);
  return keys;
}

RopeKeys without_block(ConfigReader& config, const RopeRule& rule, std::string why) {
  config.note(field(rule, "rope_type"), "default", "default: " + std::move(why));
  return read_block(config, nullptr, rule);
}

// Scaled by keys at the top of the file.
RopeKeys dynamic_by_keys(ConfigReader& config, const RopeRule& rule, double factor) {
  config.note(field(rule, "rope_type"), "dynamic", config.source(rule.dynamic_factor));
  config.note(field(rule, "factor"), fmt::to_string(factor), config.source(rule.dynamic_factor));
  RopeKeys keys = read_block(config, nullptr, rule);
  keys.rope_type = "dynamic";
  keys.parameters["factor"] = factor;
  const auto length = config.find_integer(rule.dynamic_length, kPositionCount);
  keys.parameters[std::string(kMaxPositions)] =
      static_cast<double>(length.value_or(rule.max_positions));
  config.note(field(rule, "length that is not scaled"),
              fmt::to_string(length.value_or(rule.max_positions)),
              length ? config.source(rule.dynamic_length) : "default: max_position_embeddings");
  return keys;
}

// Of two blocks that both say something transformers takes rope_scaling.
std::string_view block_key(ConfigReader& config) {
  const auto full = [&](const char* key) {
    const auto found = config.json().find(key);
    return found != config.json().end() && found->is_object() && !found->empty();
  };
  if (!full("rope_scaling"))
    return config.has("rope_parameters") || !config.has("rope_scaling") ? "rope_parameters"
                                                                        : "rope_scaling";
  if (full("rope_parameters")) {
    if (config.json().at("rope_parameters") != config.json().at("rope_scaling")) {
      config.warn(fmt::format("{} is not used, because there is a {} too",
                              config.pointer_to("rope_parameters"),
                              config.pointer_to("rope_scaling")));
    }
    config.ignore("rope_parameters");
  }
  return "rope_scaling";
}

}  // namespace

void check_rope_theta(ConfigReader& config, double rope_theta) {
  if (rope_theta == 1) config.warn("rope_theta is 1: every pair turns at the same speed");
}

std::optional<RopeKeys> read_rope_keys(ConfigReader& config, const RopeRule& rule) {
  for (const std::string_view key : {"rope_parameters", "rope_scaling"}) config.find_object(key);
  const std::string_view key = block_key(config);
  std::optional<ConfigReader> block = config.find_object(key);
  ordered_json fallback;
  if (!block && !rule.rope_parameters.empty()) {
    fallback = ordered_json::parse(rule.rope_parameters);
    block = config.of(fallback, rule.rope_theta.reason);
  }
  if (!block && !rule.dynamic_factor.empty()) {
    const auto factor = config.find_number(rule.dynamic_factor, kGrowth);
    if (factor) return dynamic_by_keys(config, rule, *factor);
  }
  if (!block) {
    return without_block(config, rule, "there is no rope_scaling and no rope_parameters");
  }
  if (is_nested(*block)) {
    if (rule.kind.empty()) {
      block->refuse(ErrorCode::unsupported, block->json().begin().key(),
                    "rope parameters for each kind of layer are not supported by this family, "
                    "expected a number or a name, found an object");
    }
    const auto own = block->json().find(std::string(rule.kind));
    if (own != block->json().end() && own->is_null()) {
      config.note(field(rule, "encoding"), "none", block->source(rule.kind) + ", null");
      return std::nullopt;
    }
    std::optional<ConfigReader> part = block->find_object(rule.kind);
    if (part) return read_block(config, &*part, rule);
    return without_block(config, rule, fmt::format("{} is absent", block->pointer_to(rule.kind)));
  }
  if (!rule.takes_rope_scaling) {
    return without_block(
        config, rule, fmt::format("{} speaks for other kinds of layers", config.pointer_to(key)));
  }
  return read_block(config, &*block, rule);
}

}  // namespace ropewalk
