#include "ropewalk/spectrum/parameter_reader.h"

#include <string>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/common_parameters.h"

namespace ropewalk {
namespace {

[[noreturn]] void refuse(const RopeConfig& config, const std::string& what) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rope_type \"{}\": {}", escaped(config.rope_type), what));
}

[[noreturn]] void refuse_missing(const RopeConfig& config, const ScalingParameter& parameter) {
  refuse(config,
         fmt::format("{}: expected {}, found none", parameter.key, parameter.rule.expected));
}

}  // namespace

std::optional<double> find_parameter(const RopeConfig& config, const ScalingParameter& parameter) {
  const auto found = config.parameters.find(std::string(parameter.key));
  if (found == config.parameters.end()) return std::nullopt;
  if (!parameter.rule.holds(found->second)) {
    refuse(config, fmt::format("{}: expected {}, found {}", parameter.key, parameter.rule.expected,
                               found->second));
  }
  return found->second;
}

double parameter(const RopeConfig& config, const ScalingParameter& parameter) {
  const std::optional<double> found = find_parameter(config, parameter);
  if (found) return *found;
  if (parameter.fallback) return *parameter.fallback;
  refuse_missing(config, parameter);
}

double original_max_position_embeddings(const RopeConfig& config) {
  const auto original = find_parameter(config, kOriginalMaxPositionEmbeddings);
  if (original) return *original;
  if (const auto length = find_parameter(config, kMaxPositionEmbeddings)) return *length;
  refuse_missing(config, kOriginalMaxPositionEmbeddings);
}

std::vector<float> parameter_per_pair(const RopeConfig& config, const ScalingParameter& parameter) {
  const auto found = config.lists.find(std::string(parameter.key));
  if (found == config.lists.end()) {
    if (parameter.required()) refuse_missing(config, parameter);
    return {};
  }
  const auto pairs = static_cast<size_t>(config.rotary_dim / 2);
  if (found->second.size() != pairs) {
    refuse(config, fmt::format("{}: expected {} numbers, one for each pair, found {}",
                               parameter.key, pairs, found->second.size()));
  }
  std::vector<float> numbers;
  for (double value : found->second) {
    numbers.push_back(static_cast<float>(value));
    if (!parameter.rule.holds(numbers.back())) {
      refuse(config, fmt::format("{}[{}]: expected {}, found {}", parameter.key, numbers.size() - 1,
                                 parameter.rule.expected, value));
    }
  }
  return numbers;
}

}  // namespace ropewalk
