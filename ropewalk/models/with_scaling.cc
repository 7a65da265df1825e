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

// Refuses a scaling of a length that is neither in the block nor given.
void check_length_is_said(const ordered_json& given, const GivenBlock& block) {
  const auto type = given.find(given.contains("rope_type") ? "rope_type" : "type");
  if (type == given.end() || !type->is_string()) return;
  const auto name = type->get<std::string>();
  constexpr const char* kOriginal = "original_max_position_embeddings";
  const bool reads_original = reads_parameter(name, kOriginal);
  const bool has_original = reads_original && given.contains(kOriginal);
  const bool needs_longest = reads_parameter(name, "max_position_embeddings") &&
                             !(has_original && given.contains("factor"));
  if (!needs_longest && (has_original || !reads_original)) return;
  refuse_given(fmt::format(
      "{}: expected max_positions{}, which {} depends on, found none", escaped(block.label),
      reads_original ? " or, in the block, original_max_position_embeddings" : "", escaped(name)));
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

RopeConfig rope_with(const RopeConfig& plain, const GivenBlock& block, int64_t max_positions) {
  ordered_json config = {{"model_type", "llama"},
                         {"hidden_size", plain.rotary_dim},
                         {"num_attention_heads", 1},
                         {"num_hidden_layers", 1},
                         {"rope_theta", plain.rope_theta}};
  if (max_positions > 0) config["max_position_embeddings"] = max_positions;
  const ModelEncoding model = read_model_with(config.dump(), block.label, block).model;
  if (max_positions == 0) check_length_is_said(parse_json(block.json, block.label), block);
  if (!model.warnings.empty()) {
    refuse_given(fmt::format("{}: expected keys that count, found one that does not: {}",
                             escaped(block.label), model.warnings.front()));
  }
  RopeConfig rope = rope_at(model, 0);
  if (rope.rotary_dim != plain.rotary_dim || rope.position_axes != 1) {
    refuse_given(fmt::format("{}: expected a scaling of {} channels on one axis, found {} on {}",
                             escaped(block.label), plain.rotary_dim, rope.rotary_dim,
                             rope.position_axes));
  }
  rope.layout = plain.layout;
  // Of LLaMA, which nobody said, and which changes nothing: checked above.
  if (max_positions == 0) rope.parameters.erase("max_position_embeddings");
  return rope;
}

}  // namespace ropewalk
