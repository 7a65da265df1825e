#include "ropewalk/models/rope_keys.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/dialects/notes.h"
#include "ropewalk/dialects/transformers_rope.h"
#include "ropewalk/spectrum/scaling_parameters.h"

namespace ropewalk {
namespace {

constexpr std::string_view kOriginal = "original_max_position_embeddings";
constexpr std::string_view kMaxPositions = "max_position_embeddings";

struct Resolver {
  const StatedRope& stated;
  const RopeRule& rule;
  ModelEncoding& model;
  RopeKeys keys = {};

  // Facts about one kind of layer bear its name: "full_attention rope_theta".
  void note(std::string_view name, std::string value, std::string source) {
    const std::string field =
        rule.kind.empty() ? std::string(name) : fmt::format("{} {}", rule.kind, name);
    ropewalk::note(model, field, std::move(value), std::move(source));
  }

  const Said<double>* parameter(std::string_view key) const {
    const auto found = stated.parameters.find(key);
    return found == stated.parameters.end() ? nullptr : &found->second;
  }
  void set(const std::string& key, double value, std::string source) {
    keys.parameters[key] = value;
    note(key, fmt::to_string(value), std::move(source));
  }
  void set(const ScalingParameter& parameter, const Said<double>& said) {
    const std::string key(parameter.key);
    if (!parameter.rule.holds(*said)) {
      refuse(ErrorCode::malformed, said.source,
             fmt::format("expected {}, found {}", parameter.rule.expected, *said));
    }
    if (key == "factor" && *said < 1) {
      refuse(ErrorCode::malformed, said.source,
             fmt::format("expected at least 1, the growth of the context (llama.cpp's rope scale "
                         "is 1 / factor), found {}",
                         *said));
    }
    set(key, *said, said.source);
  }
};

// Stated nowhere it is the context.
void set_original_length(Resolver& to, const ScalingParameter& parameter) {
  const Said<double>* said = to.parameter(kOriginal);
  const std::string key(kOriginal);
  if (said != nullptr && *said) return to.set(parameter, *said);
  if (to.rule.max_positions == 0) return;
  warn(to.model, fmt::format("{} is stated nowhere: the context of {} stands for it",
                             said != nullptr ? said->key : key, to.rule.max_positions));
  to.set(key, static_cast<double>(to.rule.max_positions), "default: max_position_embeddings");
}

void set_list(Resolver& to, const std::string& key) {
  const auto found = to.stated.lists.find(key);
  if (found == to.stated.lists.end() || !found->second) return;
  to.keys.lists[key] = *found->second;
  to.note(key, fmt::format("{} numbers", found->second.value->size()), found->second.source);
}

void require(const Resolver& to, const ScalingParameter& parameter) {
  const std::string key(parameter.key);
  if (!parameter.required() || to.keys.parameters.contains(key) || to.keys.lists.contains(key)) {
    return;
  }
  const bool list = parameter.kind == ParameterKind::list;
  const Said<double>* said = to.parameter(key);
  refuse(ErrorCode::malformed,
         said != nullptr ? said->source : fmt::format("{}/{}", to.stated.place, key),
         fmt::format("rope_type {} needs {}{}, found no such key", to.keys.rope_type,
                     list ? "a list, each entry " : "", parameter.rule.expected));
}

void set_parameters(Resolver& to) {
  set_list(to, std::string(kFreqFactors.key));
  for (const ScalingParameter& parameter : scaling_parameters(to.keys.rope_type)) {
    const std::string key(parameter.key);
    const Said<double>* said = to.parameter(key);
    if (key == kOriginal) {
      set_original_length(to, parameter);
    } else if (key == kMaxPositions) {
      if (said != nullptr && *said) {
        to.set(key, **said, said->source);
      } else if (to.rule.max_positions > 0) {
        to.keys.parameters[key] = static_cast<double>(to.rule.max_positions);
      }
    } else if (key == "partial_rotary_factor") {
      if (to.keys.partial_rotary_factor) to.keys.parameters[key] = *to.keys.partial_rotary_factor;
    } else if (parameter.kind == ParameterKind::list) {
      set_list(to, key);
    } else if (said != nullptr && *said) {
      to.set(parameter, *said);
    }
    require(to, parameter);
  }
}

void set_axes(Resolver& to) {
  const auto& section = to.stated.mrope_section;
  if (section && !to.rule.several_axes) {
    warn(to.model, fmt::format("{} is not used: the code of the model has one axis", section.key));
  } else if (section) {
    to.keys.mrope_section = *section;
    to.note("mrope_section", fmt::format("{}", fmt::join(*section, " ")), section.source);
  }
  to.keys.mrope_interleaved = to.stated.mrope_interleaved.value;
}

void set_theta(Resolver& to) {
  const Said<double>& said = to.stated.rope_theta;
  to.keys.rope_theta = said ? *said : to.rule.rope_theta.value;
  if (!said && !to.rule.windowed) to.model.states_base = false;
  to.note("rope_theta", fmt::to_string(to.keys.rope_theta),
          said ? said.source : std::string(to.rule.rope_theta.reason));
  check_rope_theta(to.model, to.keys.rope_theta);
}

// The base of the class's own block counts before a key at the top of the file.
void set_default_theta(Said<double>& said, double theta, const RopeRule& rule,
                       ModelEncoding& model) {
  const std::string reason(rule.rope_theta.reason);
  if (said && *said != theta && rule.kind.empty()) {
    refuse(ErrorCode::malformed, said.source,
           fmt::format("expected {} as in the {}, found {}", theta, reason, *said));
  }
  if (said && *said != theta) {
    warn(model,
         fmt::format("{} is {}, and not used: the {} says {}", said.key, *said, reason, theta));
  }
  said = {theta, reason};
}

// The rotation of a file without a rope block: what the class has in its place, and keys that the
// file has beside it.
StatedRope with_default(StatedRope stated, const RopeRule& rule, ModelEncoding& model) {
  const auto found = std::ranges::find_if(
      rule.default_rope, [&](const DefaultRope& rope) { return rope.holds_for(rule.kind); });
  if (stated.has_block || stated.rope_type || found == rule.default_rope.end()) return stated;
  const std::string reason(rule.rope_theta.reason);
  stated.rope_type = {std::string(found->rope_type), reason};
  for (const DefaultRope::Parameter& parameter : found->parameters) {
    Said<double>& said = stated.parameters[std::string(parameter.key)];
    if (said && *said != parameter.value) {
      warn(model, fmt::format("{} says {}, but the {} says {}: the first counts", said.key, *said,
                              reason, parameter.value));
    }
    if (!said) said = {parameter.value, reason};
  }
  if (found->rope_theta != 0) set_default_theta(stated.rope_theta, found->rope_theta, rule, model);
  if (found->partial_rotary_factor != 0) {
    stated.partial_rotary_factor = {found->partial_rotary_factor, reason};
  }
  if (found->query_beta != 0) stated.query_beta = {found->query_beta, reason};
  return stated;
}

}  // namespace

void check_rope_theta(ModelEncoding& model, double rope_theta) {
  if (rope_theta == 1) warn(model, "rope_theta is 1: every pair turns at the same speed");
}

std::optional<RopeKeys> resolve_rope(const StatedRope& said, const RopeRule& rule,
                                     ModelEncoding& model) {
  const StatedRope stated = with_default(said, rule, model);
  Resolver to{stated, rule, model};
  if (!stated.passes.empty()) {
    to.note("encoding", "none", stated.passes);
    return std::nullopt;
  }
  to.keys.rope_type = stated.rope_type.value_or("default");
  to.note("rope_type", to.keys.rope_type, stated.rope_type.source);
  to.keys.partial_rotary_factor = stated.partial_rotary_factor.value;
  to.keys.fraction_source = stated.partial_rotary_factor.source;
  set_axes(to);
  to.keys.query_beta = stated.query_beta;
  to.keys.query_length = stated.query_length;
  if (stated.query_beta) {
    note(model, "llama_4_scaling_beta", fmt::to_string(*stated.query_beta),
         stated.query_beta.source);
  }
  set_parameters(to);
  set_theta(to);
  return std::move(to.keys);
}

std::optional<RopeKeys> read_rope_keys(ConfigReader& config, const RopeRule& rule) {
  return resolve_rope(stated_rope(config, rule), rule, config.findings());
}

}  // namespace ropewalk
