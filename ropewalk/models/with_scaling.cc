#include "ropewalk/models/with_scaling.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/notes.h"
#include "ropewalk/dialects/params.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/json.h"
#include "ropewalk/models/model_file.h"
#include "ropewalk/models/models.h"
#include "ropewalk/models/presets.h"
#include "ropewalk/models/rope_block.h"
#include "ropewalk/spectrum/scaling_parameters.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

constexpr uint64_t kMaxConfigBytes = uint64_t{64} << 20;
[[noreturn]] void refuse_given(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

// Whether some layer does what the block says.
bool is_obeyed(const ModelEncoding& model, const std::string& rope_type,
               std::optional<double> rope_theta) {
  return std::any_of(model.layers.begin(), model.layers.end(), [&](const Layer& layer) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (rope == nullptr || (rope_theta && rope->rope_theta != *rope_theta)) return false;
    if (rope_type.empty()) return true;
    if (!is_scaled(rope_type)) return !is_scaled(rope->rope_type);
    const bool yarn = scaling_traits(rope_type).yarn && scaling_traits(rope->rope_type).yarn;
    return yarn || canonical_rope_type(rope->rope_type) == rope_type;
  });
}

}  // namespace

WithScaling read_model_with(std::string_view text, const std::string& label,
                            const GivenBlock& block, std::string_view assume) {
  const ModelEncoding before = read_model_config(text, label, assume);
  const std::string name = escaped(label);
  ordered_json json = parse_json(text, name, {.python_constants = true});
  if (assume.empty() && is_params_json(json)) {
    throw Error(ErrorCode::unsupported,
                name +
                    ": expected a config.json, whose rope block another may replace, found a "
                    "params.json");
  }
  ordered_json given = parse_json(block.json, block.label);
  const TextObject object = find_text(json, name, assume);
  WithScaling result{.before = before, .place = object.pointer};
  Replaced replaced;
  try {
    replaced = replace_block(object, given, before.max_positions);
  } catch (const Error& error) {
    refuse_given(escaped(block.label) + ": " + error.what());
  }
  try {
    result.model = read_model_config(json.dump(), block.label, assume);
  } catch (const Error& error) {
    refuse_given(error.what());
  }
  if (replaced.blocks == 0 || !is_obeyed(result.model, replaced.rope_type, replaced.rope_theta)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected a model whose layers take a rope block, found {}, whose "
                            "code reads none",
                            name, before.model_type));
  }
  result.model.name = before.name;
  keep_notes(before, result.model);
  ordered_json keys = ordered_json::object();
  for (const std::string& key : {replaced.key, replaced.theta_key}) {
    if (!key.empty()) keys[key] = object.object->at(key);
  }
  result.keys = keys.dump(2);
  return result;
}

WithScaling load_model_with(const std::string& path_or_preset, const GivenBlock& block,
                            std::string_view assume) {
  std::error_code ignored;
  if (is_stream(path_or_preset)) {
    const std::string text = read_stream(path_or_preset, kMaxConfigBytes);
    return read_model_with(text, path_or_preset == "-" ? "standard input" : path_or_preset, block,
                           assume);
  }
  if (std::filesystem::exists(path_or_preset, ignored)) {
    const std::filesystem::path file = model_file_of(path_or_preset);
    if (is_gguf(file)) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{}: expected a config.json, whose rope block another may replace, "
                              "found a GGUF; give the config.json of the model it was made from",
                              escaped(file.string())));
    }
    refuse_other_kinds(file);
    return read_model_with(read_text(file, kMaxConfigBytes), file.string(), block, assume);
  }
  for (const Preset& preset : presets()) {
    if (preset.name != path_or_preset) continue;
    WithScaling result =
        read_model_with(preset.config, fmt::format("preset {}", preset.name), block, assume);
    result.model.name = result.before.name = preset.name;
    return result;
  }
  load_model(path_or_preset, assume);  // throws what is wrong with it
  throw Error(ErrorCode::internal, escaped(path_or_preset) + ": read, but not found");
}

}  // namespace ropewalk
