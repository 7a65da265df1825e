#include "ropewalk/diagnose/checkpoint_findings.h"

#include <algorithm>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/file.h"

namespace ropewalk {
namespace {

// An index without the name of frequencies has none: its files need not be opened.
bool may_keep_frequencies(const std::filesystem::path& checkpoint) {
  return checkpoint.extension() != ".json" ||
         read_text(checkpoint, 64 << 20).find("inv_freq") != std::string::npos;
}

}  // namespace

bool CheckpointFindings::differ() const {
  return !shapes.empty() ||
         std::any_of(frequencies.begin(), frequencies.end(), [](const StoredFrequencies& each) {
           return each.fault != StoredFrequencies::Fault::rounded;
         });
}

std::optional<std::filesystem::path> checkpoint_beside(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none) || path.extension() == ".gguf") return std::nullopt;
  if (path.extension() == ".safetensors" || path.string().ends_with(".index.json")) return path;
  const std::filesystem::path folder =
      std::filesystem::is_directory(path, none) ? path : path.parent_path();
  for (const char* name : {"model.safetensors", "model.safetensors.index.json"}) {
    if (std::filesystem::exists(folder / name, none)) return folder / name;
  }
  return std::nullopt;
}

CheckpointFindings check_checkpoint(const ModelEncoding& model, const std::filesystem::path& path) {
  CheckpointFindings findings;
  const auto checkpoint = checkpoint_beside(path);
  if (!checkpoint) return findings;
  try {
    if (may_keep_frequencies(*checkpoint)) {
      findings.frequencies = check_stored_frequencies(model, *checkpoint);
    }
  } catch (const Error& error) {
    findings.frequencies_unread = error.what();
  }
  try {
    findings.shapes = wrong_shapes(*checkpoint, model);
  } catch (const Error& error) {
    findings.shapes_unread = error.what();
  }
  return findings;
}

}  // namespace ropewalk
