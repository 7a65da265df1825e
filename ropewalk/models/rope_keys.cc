#include "ropewalk/models/rope_keys.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace ropewalk {
namespace {

constexpr NumberRule kFraction{"a number above 0 and at most 1",
                               [](double value) { return value > 0 && value <= 1; }};

// A number and the place that states it.
struct Stated {
  double value = 0;
  std::string source;
};

// "rope_type", or "type" as it was called before transformers 4.43.
std::string read_rope_type(ConfigReader& block) {
  const std::optional<std::string> type = block.find_text("rope_type");
  const std::optional<std::string> old_type = block.find_text("type");
  if (type && old_type && *type != *old_type) {
    block.refuse(ErrorCode::malformed, "type",
                 fmt::format("expected \"{}\" as in rope_type, found \"{}\"", escaped(*type),
                             escaped(*old_type)));
  }
  if (!type && !old_type && block.has("factor")) {
    block.refuse(ErrorCode::malformed, "rope_type",
                 "expected the name of a scaling, because there is a factor; found no such key");
  }
  std::string result = type ? *type : old_type.value_or("default");
  const std::string_view key = type || !old_type ? "rope_type" : "type";
  if (result != "default") {
    block.refuse(ErrorCode::unsupported, key,
                 fmt::format("scaled rotary encodings are not supported yet, expected \"default\", "
                             "found \"{}\"",
                             escaped(result)));
  }
  block.note("rope_type", result,
             type || old_type ? block.source(key)
                              : fmt::format("default: {} is absent", block.pointer_to(key)));
  return result;
}

// {"full_attention": {...}, "sliding_attention": {...}}: one block for each kind of layer.
void refuse_nested_blocks(const ConfigReader& block) {
  for (const auto& [key, value] : block.json().items()) {
    if (value.is_object()) {
      block.refuse(ErrorCode::unsupported, key,
                   "rope parameters for each kind of layer are not supported by this family, "
                   "expected a number or a name, found an object");
    }
  }
}

void read_theta(ConfigReader& place, std::vector<Stated>& thetas) {
  const std::optional<double> theta = place.find_number("rope_theta", kRopeTheta);
  if (!theta) return;
  if (!thetas.empty() && thetas.front().value != *theta) {
    place.refuse(ErrorCode::malformed, "rope_theta",
                 fmt::format("expected {} as in {}, found {}", thetas.front().value,
                             thetas.front().source, *theta));
  }
  thetas.push_back({*theta, place.source("rope_theta")});
}

}  // namespace

void check_rope_theta(ConfigReader& config, double rope_theta) {
  if (rope_theta == 1) config.warn("rope_theta is 1: every pair turns at the same speed");
}

RopeKeys read_rope_keys(ConfigReader& config, const Default<double>& default_theta) {
  RopeKeys keys;
  std::vector<Stated> thetas;
  bool has_block = false;
  for (const std::string_view key : {"rope_parameters", "rope_scaling"}) {
    std::optional<ConfigReader> block = config.find_object(key);
    if (!block) continue;
    refuse_nested_blocks(*block);
    keys.rope_type = read_rope_type(*block);
    read_theta(*block, thetas);
    const auto fraction = block->find_number("partial_rotary_factor", kFraction);
    if (!keys.partial_rotary_factor) keys.partial_rotary_factor = fraction;
    block->warn_unread();
    has_block = true;
  }
  if (!has_block) {
    config.note("rope_type", "default", "default: there is no rope_scaling and no rope_parameters");
  }
  read_theta(config, thetas);
  const auto fraction = config.find_number("partial_rotary_factor", kFraction);
  if (!keys.partial_rotary_factor) keys.partial_rotary_factor = fraction;
  keys.rope_theta = thetas.empty() ? default_theta.value : thetas.front().value;
  config.note("rope_theta", fmt::to_string(keys.rope_theta),
              thetas.empty() ? std::string(default_theta.reason) : thetas.front().source);
  check_rope_theta(config, keys.rope_theta);
  return keys;
}

}  // namespace ropewalk
