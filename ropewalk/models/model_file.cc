#include "ropewalk/models/model_file.h"

#include <algorithm>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/foreign.h"

namespace ropewalk {
namespace {

using std::filesystem::path;

// A folder that other programs made, by a file that all of its kind have.
struct OtherFolder {
  const char* file;
  std::string_view what, instead;
};
constexpr OtherFolder kOtherFolders[] = {
    {"adapter_config.json", "a LoRA adapter (adapter_config.json)",
     "give the folder of its base model, base_model_name_or_path there"},
    {"model_index.json", "a pipeline of diffusers (model_index.json)",
     "give the folder of its transformer or text encoder, as PIPELINE/transformer"},
    {"modules.json", "a model of sentence-transformers (modules.json)",
     "give the folder of its transformer, by the path that modules.json has"},
    {"mlc-chat-config.json", "a model of MLC (mlc-chat-config.json)",
     "give the config.json of the model it was made from"},
    {"model.onnx", "an ONNX model", "give the config.json of the model it was made from"},
};

bool is_there(const path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

[[noreturn]] void refuse_folder(const path& folder) {
  for (const OtherFolder& other : kOtherFolders) {
    if (!is_there(folder / other.file)) continue;
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected a config.json, params.json or GGUF, found {}; {}",
                            escaped(folder.string()), other.what, other.instead));
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("{}: expected a config.json, params.json or GGUF, found none in the folder",
                  escaped(folder.string())));
}

// The files of a folder whose names end so, but for the later parts of a GGUF.
std::vector<path> ggufs_of(const path& folder) {
  std::error_code ignored;
  std::vector<path> ggufs;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool later_part = name.find("-of-") != name.npos && name.find("-00001-of-") == name.npos;
    if (entry.path().extension() == ".gguf" && !later_part) ggufs.push_back(entry.path());
  }
  std::sort(ggufs.begin(), ggufs.end());
  return ggufs;
}

std::string start_of(const path& name, size_t most) {
  const InputFile file(name);
  std::string start(std::min<uint64_t>(file.size_in_bytes(), most), '\0');
  file.read(0, std::as_writable_bytes(std::span(start)));
  return start;
}

bool is_regular(const path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored);
}

}  // namespace

path model_file_of(const path& given) {
  std::error_code ignored;  // a path that cannot be looked at is reported when it is read
  if (!std::filesystem::is_directory(given, ignored)) return given;
  for (const char* name : {"config.json", "params.json"}) {
    if (is_there(given / name)) return given / name;
  }
  const std::vector<path> ggufs = ggufs_of(given);
  if (ggufs.size() == 1) return ggufs.front();
  if (ggufs.empty()) refuse_folder(given);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: expected a config.json or one GGUF, found {} of them, {} the first",
                          escaped(given.string()), ggufs.size(),
                          escaped(ggufs.front().filename().string())));
}

bool is_gguf(const path& name) {
  if (name.extension() == ".gguf") return true;
  if (!is_regular(name)) return false;
  const std::string magic = start_of(name, 4);
  constexpr std::string_view kMagics[] = {"GGUF", "lmgg", "fmgg", "tjgg", "algg"};
  return std::find(std::begin(kMagics), std::end(kMagics), magic) != std::end(kMagics);
}

void refuse_other_kinds(const path& file) {
  if (!is_regular(file)) return;
  const std::string start = start_of(file, 16);
  std::string_view what = foreign_format(std::as_bytes(std::span(start)));
  if (what.empty()) return;
  what = what.substr(0, what.find(';'));  // without how to convert it to an array
  const bool beside = is_there(file.parent_path() / "config.json");
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: expected a config.json, params.json or GGUF, found {}; {}",
                          escaped(file.string()), what,
                          beside ? "give its folder, or the config.json beside it"
                                 : "give the config.json that belongs to it"));
}

}  // namespace ropewalk
