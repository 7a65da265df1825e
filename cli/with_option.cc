#include "cli/with_option.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/base/error.h"
#include "ropewalk/base/utf8.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/formats/json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/models/with_scaling.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk::cli {
namespace {

using nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "--with: " + why);
}

// Cut at the commas that are in no list.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<ordered_json> parsed(const std::string& text) {
  try {
    return parse_json(text, "--with");
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A number, true, false or a list; anything else is a name.
ordered_json value_of(const std::string& text) {
  const std::optional<ordered_json> value = parsed(text);
  return value && !value->is_object() ? *value : ordered_json(text);
}

std::optional<int64_t> stretched(const LoadedModel& loaded, const PositionEncoding& encoding) {
  const auto* rope = std::get_if<RopeConfig>(&encoding);
  return rope == nullptr ? std::nullopt : stretched_context(*rope, loaded.unscaled);
}

// The context that a model was trained on, where no layer of it is scaled.
int64_t unscaled_context(const ModelEncoding& model) {
  for (const Layer& layer : model.layers) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (rope != nullptr && is_scaled(rope->rope_type)) return 0;
  }
  return model.max_positions;
}

}  // namespace

ordered_json block_of(const std::string& text) {
  if (find_not_utf8(text) != std::string::npos) {
    fail(fmt::format("expected UTF-8, found \"{}\"", escaped(text)));
  }
  if (text.starts_with("{")) {
    const std::optional<ordered_json> block = parsed(text);
    if (!block) fail(fmt::format("expected a JSON object, found {}", escaped(text)));
    return *block;
  }
  ordered_json block = ordered_json::object();
  for (const std::string& part : parts_of(text)) {
    const size_t equals = part.find('=');
    if (equals == 0 || equals == part.npos || equals + 1 == part.size()) {
      fail(fmt::format("expected KEY=VALUE, as in rope_type=yarn,factor=4, found \"{}\"",
                       escaped(part)));
    }
    const std::string key = part.substr(0, equals);
    if (block.contains(key)) fail(fmt::format("expected {} once, found it twice", escaped(key)));
    block[key] = value_of(part.substr(equals + 1));
  }
  return block;
}

LoadedModel load(const ModelOptions& options) {
  if (options.with.empty()) return {.model = load_model(options.model, options.assume)};
  WithScaling with =
      load_model_with(options.model, {block_of(options.with).dump(), "--with"}, options.assume);
  with.model.name += " with " + options.with;
  const int64_t unscaled = unscaled_context(with.before);
  return {std::move(with.model), std::move(with.keys), std::move(with.place), unscaled};
}

void print_with(const LoadedModel& loaded, const PositionEncoding& encoding) {
  if (loaded.keys.empty()) return;
  if (const auto length = stretched(loaded, encoding)) {
    fmt::print("\nThe scaling is meant for sequences of up to {} positions\n", *length);
  }
  fmt::print("\nTo have it, put into config.json, {}, in the place of what is there:\n{}\n",
             loaded.place.empty() ? "at the top" : "in " + loaded.place, loaded.keys);
}

ordered_json with_json(const LoadedModel& loaded, const PositionEncoding& encoding) {
  ordered_json json = {{"place", loaded.place}, {"keys", ordered_json::parse(loaded.keys)}};
  const auto length = stretched(loaded, encoding);
  json["stretched_context"] = length ? ordered_json(*length) : ordered_json(nullptr);
  return json;
}

void add_reading_options(CLI::App& app, ModelOptions& options) {
  app.add_option("--assume", options.assume,
                 "read the file as this model_type, whatever it says (ropewalk models)")
      ->type_name("TYPE");
  app.add_option("--with", options.with,
                 "as if its config.json stated this scaling: rope_type=yarn,factor=4 (keys as in a "
                 "rope block; without rope_type they join the model's own)")
      ->type_name("BLOCK");
}

}  // namespace ropewalk::cli
