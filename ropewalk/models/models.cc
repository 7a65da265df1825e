#include "ropewalk/models/models.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/conventions/other_names.h"
#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/params.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/json.h"
#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/gguf_model.h"
#include "ropewalk/models/model_file.h"
#include "ropewalk/models/params_model.h"
#include "ropewalk/models/presets.h"

namespace ropewalk {
namespace {

// The largest published config.json has some hundred kilobytes.
constexpr uint64_t kMaxConfigBytes = uint64_t{64} << 20;

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

// "38" of "llama-3-8b": a preset of another number has other frequencies, and is no slip.
std::string digits_of(std::string_view name) {
  std::string digits;
  std::ranges::copy_if(name, std::back_inserter(digits),
                       [](char letter) { return letter >= '0' && letter <= '9'; });
  return digits;
}

[[noreturn]] void refuse_name(std::string_view name, std::string_view what,
                              std::string_view other_choices) {
  std::vector<std::string_view> names, near;
  for (const Preset& preset : presets()) {
    names.push_back(preset.name);
    if (digits_of(preset.name) == digits_of(name)) near.push_back(preset.name);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("\"{}\": expected {}one of {}, found {}{}", escaped(name), other_choices,
                          fmt::join(names, ", "), what, did_you_mean(name, near)));
}

KnownType assumed_type(ConfigReader& config, std::string_view assume) {
  const KnownType known = known_type(assume);
  config.note("model_type", std::string(assume), "assumed, whatever the file says");
  return known;
}

ModelEncoding read_preset(const Preset& preset, std::string_view assume) {
  ModelEncoding model =
      read_model_config(preset.config, fmt::format("preset {}", preset.name), assume);
  model.name = preset.name;
  return model;
}

// As name(PositionEncoding) says it, "parts" for a model of several, "refused" for one whose row
// says why it is not computed.
std::string_view kind_of(const ModelType& type) {
  if (!type.part.empty()) return "parts";
  switch (type.positions) {
    case Positions::rotary:
      return may_rotate(type) ? "rope" : "none";
    case Positions::alibi:
      return "alibi";
    case Positions::sinusoidal:
      return "sinusoidal";
    case Positions::none:
      return "none";
    case Positions::learned:
      return "learned";
    case Positions::buckets:
      return "bucket_bias";
    case Positions::relative:
      return "relative";
    case Positions::convolution:
      return "convolution";
    case Positions::features:
      return "features";
    case Positions::other:
      return "refused";
  }
  return "";
}

std::vector<std::string> names_of(std::span<const OtherName> names, const ModelType& type) {
  std::vector<std::string> found;
  for (const OtherName& other : names) {
    if (other.model_type == type.name) found.emplace_back(other.name);
  }
  return found;
}

void add_other_names(const ModelType& type, TypeInfo& info) {
  info.other_names = names_of(other_model_types(), type);
  info.other_architectures = names_of(other_architectures(), type);
  if (!type.other_architecture.empty()) {
    info.other_architectures.emplace_back(type.other_architecture);
  }
  info.other_gguf_architectures = names_of(other_gguf_architectures(), type);
}

// A path that may not be looked at exists too: the system will say why it cannot be read.
bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) || error == std::errc::permission_denied;
}

}  // namespace

ModelEncoding read_model_config(std::string_view text, const std::string& label,
                                std::string_view assume) {
  const std::string name = escaped(label);
  if (text.size() > kMaxConfigBytes) {
    throw Error(ErrorCode::resource_limit,
                fmt::format("{}: expected at most {} bytes for a config.json, found {}", name,
                            kMaxConfigBytes, text.size()));
  }
  const nlohmann::ordered_json json = parse_json(text, name, {.python_constants = true});
  if (!json.is_object()) {
    throw Error(ErrorCode::malformed,
                fmt::format("{}: expected a JSON object, found {}", name, described(json)));
  }
  if (assume.empty() && is_params_json(json)) return read_params_json(json, name);
  ModelEncoding model;
  model.name = name;
  ConfigReader config(json, name, "", model);
  read_model_type(config, model,
                  assume.empty() ? find_model_type(config) : assumed_type(config, assume));
  return model;
}

ModelEncoding read_model(const std::filesystem::path& path, std::string_view assume) {
  if (is_stream(path)) {
    const std::string text = read_stream(path, kMaxConfigBytes);
    const std::string label = path == "-" ? "standard input" : path.string();
    if (text.starts_with("GGUF")) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{}: expected a config.json or params.json, found a GGUF, which is "
                              "read from a file only",
                              escaped(label)));
    }
    return read_model_config(text, label, assume);
  }
  const std::filesystem::path file = model_file_of(path);
  if (is_gguf(file)) return read_gguf_model(file, assume);
  refuse_other_kinds(file);
  return read_model_config(read_text(file, kMaxConfigBytes), file.string(), assume);
}

ModelEncoding preset(std::string_view name) {
  const Preset* found = find_preset(name);
  if (found == nullptr) refuse_name(name, "no such preset", "");
  return read_preset(*found, {});
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

ModelEncoding load_model(const std::string& path_or_preset, std::string_view assume) {
  if (path_or_preset == "-" || exists(path_or_preset)) return read_model(path_or_preset, assume);
  if (const Preset* found = find_preset(path_or_preset)) return read_preset(*found, assume);
  // What can only be a path gets the system's word about it.
  const bool path = path_or_preset.find('/') != std::string::npos ||
                    std::filesystem::path(path_or_preset).extension() == ".json" ||
                    std::filesystem::path(path_or_preset).extension() == ".gguf";
  if (path) return read_model(path_or_preset, assume);
  refuse_name(path_or_preset, "neither a file nor a preset",
              "a config.json, GGUF, params.json, the folder of one, or ");
}

std::vector<FamilyInfo> families() {
  std::vector<FamilyInfo> infos;
  for (const Family* family : all_families()) {
    FamilyInfo info{.name = std::string(family->name)};
    for (const ModelType& type : family->types) {
      info.types.push_back({.name = std::string(type.name),
                            .architecture = std::string(type.architecture),
                            .part = std::string(type.part),
                            .part_type = std::string(type.part_type),
                            .kind = std::string(kind_of(type)),
                            .encoding = encoding_in_words(type),
                            .gguf_architecture = std::string(type.gguf.architecture)});
      TypeInfo& added = info.types.back();
      add_other_names(type, added);
      if (!type.part.empty()) continue;
      added.attention = attention_in_words(type);
      added.reads_weights = type.weights.form != QkvForm::unknown;
      if (may_rotate(type)) {
        added.pairing = name(type.pairing);
        if (!type.gguf.architecture.empty()) {
          added.gguf_pairing = name(type.gguf.pairing);
          added.permuted = type.pairing != type.gguf.pairing;
        }
      }
    }
    for (const std::string& name : preset_names()) {
      if (preset(name).family == family->name) info.presets.push_back(name);
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace ropewalk
