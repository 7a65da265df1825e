#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/safetensors.h"

namespace ropewalk {

// The tensors of a model, in one safetensors file or in several with an index.
//
// `path` is a .safetensors file, an index (model.safetensors.index.json: {"weight_map": {tensor:
// file}}), or a folder with model.safetensors or, where that is missing, the index, as transformers
// looks for them. Files must lie beside the index (symbolic links are followed: the cache of
// Hugging Face is made of them). All headers are read and compared with the index at once, one file
// open at a time; a tensor of several files opens its file anew.
//
// Throws malformed for a file name that leaves the folder, a tensor that the index and its file do
// not agree on, one that two files hold, and whatever SafetensorsFile and parse_json refuse; io for
// a file that is missing, naming a tensor that needs it; resource_limit for an index over 64 MiB.
class Checkpoint {
 public:
  explicit Checkpoint(const std::filesystem::path& path);

  // The file of each tensor, as an index into files(). Tensors that `read` refuses are among them.
  const std::map<std::string, size_t, std::less<>>& tensors() const { return tensors_; }
  const std::vector<std::filesystem::path>& files() const { return files_; }
  bool contains(std::string_view name) const { return tensors_.find(name) != tensors_.end(); }
  // The first 16, each a line like an error's: those of the files, and an index whose total_size is
  // not the size of the tensors.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Throws malformed when there is no such tensor, unsupported for a type that ropewalk lacks.
  Tensor read(std::string_view name) const;
  // The path that was opened, escaped for a message.
  const std::string& label() const { return label_; }

 private:
  void open_index(const std::filesystem::path& index);
  // Compares the tensors of one file with the index, which has `expected` of them. Returns their
  // bytes.
  uint64_t add_file(size_t file, size_t expected);

  std::string label_;
  std::optional<SafetensorsFile> single_;
  std::vector<std::filesystem::path> files_;
  std::map<std::string, size_t, std::less<>> tensors_;
  std::vector<std::string> warnings_;
};

}  // namespace ropewalk
