#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ropewalk/diagnose/stored_frequencies.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/weights/wrong_shapes.h"

namespace ropewalk {

// What a checkpoint says otherwise than its config.
struct CheckpointFindings {
  std::vector<StoredFrequencies> frequencies;
  std::vector<WrongShape> shapes;
  // Why it was not looked at, where it was not.
  std::string frequencies_unread, shapes_unread;

  // Whether anything contradicts the config: a rounding alone does not.
  bool differ() const;
  bool operator==(const CheckpointFindings&) const = default;
};

// The model.safetensors, or its index, of a folder or of the folder of a config.json; such a file
// itself.
std::optional<std::filesystem::path> checkpoint_beside(const std::filesystem::path& path);

// Looks at the checkpoint beside the file that the model was read from; nothing is found for a
// preset, or where there is none. One that cannot be read is told, not thrown.
CheckpointFindings check_checkpoint(const ModelEncoding& model, const std::filesystem::path& path);

}  // namespace ropewalk
