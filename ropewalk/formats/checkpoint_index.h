#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ropewalk {

// What an index of a checkpoint in several files says.
struct CheckpointIndex {
  struct File {
    std::string name;          // plain, beside the index
    std::string first_tensor;  // the first that is in it
    size_t tensors = 0;
  };
  std::vector<File> files;
  std::map<std::string, size_t, std::less<>> tensors;  // and the index of its file
  std::optional<double> total_size;                    // bytes of all tensors
};

// Reads model.safetensors.index.json. Throws malformed, resource_limit or io.
CheckpointIndex read_checkpoint_index(const std::filesystem::path& path);

}  // namespace ropewalk
