#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ropewalk {

// A tensor by what the header of its file says, whatever its type.
struct StoredTensor {
  size_t file = 0;    // an index into the files
  std::string dtype;  // as the file writes it: "BF16", "F8_E4M3"
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // bytes from the start of the file
};

// The headers of a checkpoint in safetensors, or of a GGUF.
struct StoredTensors {
  std::vector<std::filesystem::path> files;
  std::optional<std::filesystem::path> index;  // of several files
  std::map<std::string, StoredTensor, std::less<>> tensors;
  bool gguf = false;
};

// Where the weights of a folder are: model.safetensors, its index, adapter_model.safetensors (LoRA)
// or consolidated.safetensors, consolidated.00.safetensors (Meta's and Mistral's own). A path that
// is no folder is itself. Throws io naming the folder.
std::filesystem::path weights_file_of(const std::filesystem::path& path);

// Reads every header, of a GGUF that of the file. Throws as Checkpoint and GgufFile.
StoredTensors read_stored_tensors(const std::filesystem::path& path);

}  // namespace ropewalk
