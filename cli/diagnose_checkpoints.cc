#include "cli/diagnose_checkpoints.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "ropewalk/base/error.h"
#include "ropewalk/models/models.h"
#include "ropewalk/report/to_json.h"
#include "ropewalk/report/verification_words.h"
#include "ropewalk/weights/stored_tensors.h"

namespace ropewalk::cli {
namespace {

namespace fs = std::filesystem;

bool is_weights(const std::string& path) {
  return path.ends_with(".safetensors") || path.ends_with(".safetensors.index.json");
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A checkpoint, or the folder of a config that was named.
fs::path checkpoint_of(const std::string& path) {
  std::error_code none;
  if (!fs::exists(path, none)) {
    throw Error(ErrorCode::io, fmt::format("{}: expected a checkpoint (a folder, .safetensors or "
                                           "GGUF), found no such file",
                                           escaped(path)));
  }
  const bool config = path.ends_with(".json") && !is_weights(path);
  return config ? folder_of(path) : fs::path(path);
}

LoadedModel model_of(ModelOptions options) {
  if (is_weights(options.model)) options.model = folder_of(options.model).string();
  return load(options);
}

std::optional<ModelEncoding> other_model_of(const CheckpointOptions& o, const ModelEncoding& own) {
  if (!o.other_model.empty()) return load({.model = o.other_model, .assume = {}, .with = {}}).model;
  if (!o.weights_only) return std::nullopt;
  try {
    return model_of({.model = o.other, .assume = {}, .with = {}}).model;
  } catch (const Error&) {
    return own;  // the same code reads both
  }
}

int print(const OtherCheck& found, const std::string& model, const CheckpointOptions& o) {
  std::vector<FindingLine> lines = lines_of(found, model);
  // What was asked for: not a note, as beside other things.
  for (FindingLine& line : lines) {
    if (line.kind == "rows" && !found.rows_unread.empty()) line.level = FindingLine::Level::unread;
  }
  const auto any = [&](FindingLine::Level level) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const FindingLine& line) { return line.level == level; });
  };
  const int code = any(FindingLine::Level::unread) ? 3 : any(FindingLine::Level::fault) ? 1 : 0;
  if (o.json) {
    nlohmann::ordered_json json = {{"exit_code", code},
                                   {"findings", nlohmann::ordered_json::array()}};
    for (const FindingLine& line : lines) {
      json["findings"].push_back(
          {{"level", name(line.level)}, {"kind", line.kind}, {"text", line.text}});
      if (!line.change.empty()) json["findings"].back()["change"] = line.change;
    }
    json["other"] = to_json(found);
    print_json(json);
    return code;
  }
  for (const FindingLine& line : lines) {
    fmt::print("{}: {}\n", name(line.level), line.text);
    if (!line.change.empty()) fmt::print("  change: {}\n", line.change);
  }
  return code;
}

}  // namespace

int diagnose_checkpoints(const CheckpointOptions& o) {
  const fs::path path = checkpoint_of(o.model.model), other = checkpoint_of(o.other);
  const ModelEncoding model = model_of(o.model).model;
  const std::optional<ModelEncoding> of_other = other_model_of(o, model);
  CompareProgress progress;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  if (terminal) {
    progress = [](int64_t layer, int64_t layers) {
      fmt::print(stderr, "\r\033[Kcomparing rows: layer {} of {}", layer, layers);
    };
  }
  const fs::path weights = weights_file_of(path);
  read_stored_tensors(weights);  // the first is to be readable; of the other is told what is not
  OtherCheck found =
      compare_checkpoints(model, weights, other, of_other ? &*of_other : nullptr, progress);
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (o.weights_only) {
    found.comparison.differences.clear();
    found.comparison.rotations.clear();
    found.minor.clear();
  }
  return print(found, model.name, o);
}

}  // namespace ropewalk::cli
