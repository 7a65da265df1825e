#include "ropewalk/models/models.h"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/json.h"
#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/config_reader.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/gguf_model.h"
#include "ropewalk/models/params_config.h"
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

[[noreturn]] void refuse_name(std::string_view name, std::string_view what,
                              std::string_view other_choices) {
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("\"{}\": {}, expected {}one of {}{}", escaped(name), what, other_choices,
                          fmt::join(names, ", "), did_you_mean(name, names)));
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

// The file of a folder that says what the model is: its config.json, else the params.json of Meta
// and Mistral, else its only GGUF (or the first part of its only one).
std::filesystem::path file_of(const std::filesystem::path& path) {
  std::error_code ignored;  // a path that cannot be looked at is reported when it is read
  if (!std::filesystem::is_directory(path, ignored)) return path;
  for (const char* name : {"config.json", "params.json"}) {
    if (std::filesystem::exists(path / name, ignored)) return path / name;
  }
  std::vector<std::filesystem::path> ggufs;
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool later_part = name.find("-of-") != name.npos && name.find("-00001-of-") == name.npos;
    if (entry.path().extension() == ".gguf" && !later_part) ggufs.push_back(entry.path());
  }
  if (ggufs.empty()) return path / "config.json";
  if (ggufs.size() == 1) return ggufs.front();
  std::sort(ggufs.begin(), ggufs.end());
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: expected a config.json or one GGUF, found {} of them, {} the first",
                          escaped(path.string()), ggufs.size(),
                          escaped(ggufs.front().filename().string())));
}

// By its first bytes, those of the formats before it too, or by its name.
bool is_gguf(const std::filesystem::path& path) {
  if (path.extension() == ".gguf") return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const InputFile file(path);
  std::string magic(4, '\0');
  if (file.size_in_bytes() < magic.size()) return false;
  file.read(0, std::as_writable_bytes(std::span(magic)));
  constexpr std::string_view kMagics[] = {"GGUF", "lmgg", "fmgg", "tjgg", "algg"};
  return std::find(std::begin(kMagics), std::end(kMagics), magic) != std::end(kMagics);
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
  const std::filesystem::path file = file_of(path);
  if (is_gguf(file)) return read_gguf_model(file, assume);
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
  if (exists(path_or_preset)) return read_model(path_or_preset, assume);
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
                            .encoding = encoding_in_words(type),
                            .gguf_architecture = std::string(type.gguf.architecture)});
      TypeInfo& added = info.types.back();
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
