#include "ropewalk/dialects/transformers_rope.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/base/nearest_name.h"
#include "ropewalk/spectrum/scaling_parameters.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

constexpr NumberRule kGrowth{"a number of at least 1", [](double value) { return value >= 1; }};
constexpr std::string_view kOriginal = "original_max_position_embeddings";
constexpr std::string_view kMaxPositions = "max_position_embeddings";
constexpr std::string_view kFractionKey = "partial_rotary_factor";

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
Said<std::string> said_rope_type(ConfigReader& block, const RopeRule& rule) {
  const std::optional<std::string> type = block.find_text("rope_type");
  const std::optional<std::string> old_type = block.find_text("type");
  const std::string_view key = type || !old_type ? "rope_type" : "type";
  if (!type && !old_type && block.has("factor")) {
    block.refuse(ErrorCode::malformed, "rope_type",
                 "expected the name of a scaling, because there is a factor; found no such key");
  }
  if (!type && !old_type) {
    return {std::nullopt, fmt::format("default: {} is absent", block.pointer_to(key))};
  }
  const std::string result = canonical(block, key, type ? *type : *old_type);
  if (type && old_type && canonical(block, "type", *old_type) != result) {
    block.refuse(ErrorCode::malformed, "type",
                 fmt::format("expected \"{}\" as in rope_type, found \"{}\"", escaped(*type),
                             escaped(*old_type)));
  }
  return {rope_type_of_code(result, rule.yarn_type), block.source(key), block.pointer_to(key)};
}

// A number, or where it is a flag true and false as 1 and 0.
Said<double> said_parameter(ConfigReader& block, const ScalingParameter& parameter) {
  const auto found = block.json().find(std::string(parameter.key));
  const bool boolean = parameter.kind == ParameterKind::boolean && found != block.json().end() &&
                       found->is_boolean();
  if (!boolean) {
    return block.said_number(parameter.key, {parameter.rule.expected, parameter.rule.holds});
  }
  const Said<bool> flag = block.said_boolean(parameter.key);
  return {*flag ? 1.0 : 0.0, flag.source, flag.key};
}

// Stated at the top of the file it wins over the block (Phi 3).
Said<double> said_original_length(ConfigReader& config, ConfigReader& block,
                                  const ScalingParameter& parameter) {
  const Said<double> inside = said_parameter(block, parameter);
  const Said<double> top = said_parameter(config, parameter);
  if (inside && top && *inside != *top) {
    config.warn(fmt::format("{} says {}, but {} says {}: the first counts", top.key, *top,
                            inside.key, *inside));
  }
  return top ? top : inside;
}

void read_parameters(ConfigReader& config, ConfigReader& block, const RopeRule& rule,
                     StatedRope& stated) {
  const auto list_of = [&](const ScalingParameter& parameter) {
    stated.lists[std::string(parameter.key)] =
        block.said_numbers(parameter.key, {parameter.rule.expected, parameter.rule.holds});
  };
  list_of(kFreqFactors);
  for (const ScalingParameter& parameter :
       scaling_parameters(stated.rope_type.value_or("default"))) {
    const std::string key(parameter.key);
    if (key == kMaxPositions) {
      block.ignore(key);  // a copy of the model's own length, which no code reads
    } else if (key == kOriginal) {
      stated.parameters[key] = said_original_length(config, block, parameter);
    } else if (parameter.kind == ParameterKind::list) {
      list_of(parameter);
    } else if (key != kFractionKey && (key != "alpha" || rule.reads_alpha)) {
      stated.parameters[key] = said_parameter(block, parameter);
    }
  }
}

void read_sections(ConfigReader& block, const RopeRule& rule, StatedRope& stated) {
  if (!rule.several_axes) return;
  for (const std::string_view key : {"mrope_section", "xdrope_section"}) {
    auto section = block.said_integers(key, {0, 65536});
    if (section) stated.mrope_section = std::move(section);
  }
  stated.mrope_interleaved = block.said_boolean("mrope_interleaved");
}

void read_theta(ConfigReader& place, std::string_view path, const RopeRule& rule,
                Said<double>& stated) {
  const Said<double> said = place.said_number(path, kRopeTheta);
  if (!said) return;
  if (stated && *stated != *said) {
    const std::string agreed = fmt::format("{} says {}", stated.source, *stated);
    if (!rule.kind.empty()) {
      return place.warn(fmt::format("{} is {}, and not used: {}", said.key, *said, agreed));
    }
    refuse(ErrorCode::malformed, said.source,
           fmt::format("expected {} as in {}, found {}", *stated, stated.source, *said));
  }
  if (!stated) stated = said;
}

void read_fraction(ConfigReader& place, std::string_view key, StatedRope& stated) {
  const Said<double> said = place.said_number(key, kFraction);
  if (said && !stated.partial_rotary_factor) stated.partial_rotary_factor = said;
}

// What one block (or none) and the keys at the top of the file say.
StatedRope read_block(ConfigReader& config, ConfigReader* block, const RopeRule& rule) {
  StatedRope stated;
  if (rule.top_theta_first) read_theta(config, rule.theta_key, rule, stated.rope_theta);
  if (block != nullptr) {
    stated.rope_type = said_rope_type(*block, rule);
    stated.place = block->place();
    read_theta(*block, "rope_theta", rule, stated.rope_theta);
    read_fraction(*block, kFractionKey, stated);
  }
  read_theta(config, rule.theta_key, rule, stated.rope_theta);
  read_theta(config, rule.theta_alias, rule, stated.rope_theta);
  read_fraction(config, kFractionKey, stated);
  read_fraction(config, rule.fraction_alias, stated);
  if (block == nullptr) return stated;
  read_sections(*block, rule, stated);
  if (rule.scales_queries) {
    stated.query_beta = block->said_number("llama_4_scaling_beta", kFactorWithin);
  }
  read_parameters(config, *block, rule, stated);
  block->warn_unread();
  return stated;
}

StatedRope without_block(ConfigReader& config, const RopeRule& rule, const std::string& why) {
  StatedRope stated = read_block(config, nullptr, rule);
  stated.rope_type.source = "default: " + why;
  if (!rule.default_rope.empty()) {
    const auto length = config.said_integer(kOriginal, kPositionCount);
    stated.parameters[std::string(kOriginal)] = {
        length ? std::optional(static_cast<double>(*length)) : std::nullopt, length.source,
        length.key};
  }
  return stated;
}

// Scaled by keys at the top of the file.
StatedRope dynamic_by_keys(ConfigReader& config, const RopeRule& rule, const Said<double>& factor) {
  StatedRope stated = read_block(config, nullptr, rule);
  stated.rope_type = {"dynamic", factor.source, factor.key};
  stated.parameters["factor"] = factor;
  const auto length = config.said_integer(rule.dynamic_length, kPositionCount);
  if (length) {
    stated.parameters[std::string(kMaxPositions)] = {static_cast<double>(*length), length.source,
                                                     length.key};
  }
  return stated;
}

// Of two blocks that both say something transformers takes rope_scaling.
std::string_view block_key(ConfigReader& config) {
  const auto full = [&](const char* key) {
    const auto found = config.json().find(key);
    return found != config.json().end() && found->is_object() && !found->empty();
  };
  if (!full("rope_scaling")) {
    return config.has("rope_parameters") || !config.has("rope_scaling") ? "rope_parameters"
                                                                        : "rope_scaling";
  }
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

// The part of a block that has one for each kind of layer.
StatedRope read_nested(ConfigReader& config, ConfigReader& block, const RopeRule& rule) {
  if (rule.kind.empty()) {
    block.refuse(ErrorCode::unsupported, block.json().begin().key(),
                 "rope parameters for each kind of layer are not supported by this family, "
                 "expected a number or a name, found an object");
  }
  if (block.is_null(rule.kind)) {
    StatedRope stated;
    stated.passes = block.source(rule.kind) + ", null";
    return stated;
  }
  if (std::optional<ConfigReader> part = block.find_object(rule.kind)) {
    return read_block(config, &*part, rule);
  }
  return without_block(config, rule, fmt::format("{} is absent", block.pointer_to(rule.kind)));
}

bool is_nested(const ConfigReader& block) {
  for (const auto& [key, value] : block.json().items()) {
    if (value.is_object()) return true;
  }
  return false;
}

StatedRope read_stated(ConfigReader& config, ConfigReader& block, const RopeRule& rule) {
  if (is_nested(block)) return read_nested(config, block, rule);
  if (rule.takes_rope_scaling) return read_block(config, &block, rule);
  return without_block(config, rule, block.pointer() + " speaks for other kinds of layers");
}

}  // namespace

StatedRope stated_rope(ConfigReader& config, const RopeRule& rule) {
  for (const std::string_view key : {"rope_parameters", "rope_scaling"}) config.find_object(key);
  const std::string_view key = block_key(config);
  std::optional<ConfigReader> block = config.find_object(key);
  if (!block) {
    const Said<double> factor = config.said_number(rule.dynamic_factor, kGrowth);
    if (factor) return dynamic_by_keys(config, rule, factor);
    return without_block(config, rule, "there is no rope_scaling and no rope_parameters");
  }
  if (block->find_boolean("use_fope").value_or(false)) {
    block->refuse(ErrorCode::unsupported, "use_fope",
                  "expected false, found true: the frequencies are mixed by learned coefficients, "
                  "weights of the checkpoint");
  }
  StatedRope stated = read_stated(config, *block, rule);
  stated.has_block = true;
  return stated;
}

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

}  // namespace ropewalk
