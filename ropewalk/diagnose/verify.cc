#include "ropewalk/diagnose/verify.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "ropewalk/base/error.h"
#include "ropewalk/weights/attention_rows.h"
#include "ropewalk/weights/stored_tensors.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) return path;
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// The weights beside a model's file, where there are any.
std::optional<fs::path> weights_beside(const fs::path& path) {
  std::error_code none;
  if (!fs::exists(path, none)) return std::nullopt;  // a preset
  if (path.extension() == ".safetensors" || path.string().ends_with(".index.json")) return path;
  try {
    return weights_file_of(folder_of(path));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) return std::nullopt;
    throw;
  }
}

std::vector<fs::path> ggufs_beside(const fs::path& path) {
  std::error_code none;
  std::vector<fs::path> ggufs;
  if (!fs::exists(path, none)) return ggufs;
  for (const auto& entry : fs::directory_iterator(folder_of(path), none)) {
    const std::string name = entry.path().filename().string();
    const bool later_part = name.find("-of-") != name.npos && name.find("-00001-of-") == name.npos;
    // A picture model's projector is no copy of the text model.
    const bool projector = name.find("mmproj") != name.npos;
    if (entry.path().extension() == ".gguf" && !later_part && !projector) {
      ggufs.push_back(entry.path());
    }
  }
  std::sort(ggufs.begin(), ggufs.end());
  return ggufs;
}

void check_weights(const ModelEncoding& model, const fs::path& weights, Verification& found) {
  StoredTensors stored;
  try {
    stored = read_stored_tensors(weights);
  } catch (const Error& error) {
    found.weights_unread = error.what();
    return;
  }
  found.checkpoint = check_checkpoint(model, weights);
  if (!found.checkpoint.shapes.empty()) return;  // said already
  try {
    AttentionTensors tensors = attention_tensors(stored, model, escaped(weights.string()));
    found.layers_beyond = std::move(tensors.beyond);
    found.adapter = tensors.adapter;
  } catch (const Error& error) {
    (error.code() == ErrorCode::malformed ? found.layers_fault : found.layers_unread) =
        error.what();
  }
}

}  // namespace

bool Verification::faulty() const {
  const auto is_wrong = [](const OtherCheck& other) {
    return !other.comparison.alike() || are_wrong(other.rows);
  };
  return checkpoint.differ() || !layers_fault.empty() ||
         (table && table->fault != TableCheck::Fault::none) ||
         std::any_of(others.begin(), others.end(), is_wrong);
}

bool Verification::unread() const {
  return !weights_unread.empty() ||
         std::any_of(others.begin(), others.end(),
                     [](const OtherCheck& other) { return !other.unread.empty(); });
}

Verification verify(const ModelEncoding& model, const fs::path& path,
                    const VerifyOptions& options) {
  Verification found;
  std::optional<fs::path> weights;
  try {
    weights = weights_beside(path);
  } catch (const Error& error) {
    found.layers_unread = error.what();
  }
  found.has_weights = weights.has_value();
  if (weights) check_weights(model, *weights, found);
  if (!found.weights_unread.empty()) weights.reset();
  std::error_code none;
  for (const fs::path& gguf : ggufs_beside(path)) {
    if (fs::equivalent(gguf, path, none)) continue;
    found.others.push_back(compare_checkpoints(model, weights, gguf, nullptr, options.progress));
  }
  if (options.against) {
    found.others.push_back(compare_checkpoints(model, weights, *options.against,
                                               options.against_model, options.progress));
  }
  return found;
}

}  // namespace ropewalk
