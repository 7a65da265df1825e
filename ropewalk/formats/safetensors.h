#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/file.h"

namespace ropewalk {

struct SafetensorsEntry {
  DType dtype = DType::f32;
  Dims shape;
  uint64_t begin = 0, end = 0;  // bytes from the start of the file
};

struct SafetensorsOptions {
  bool allow_trailing = false;  // accept bytes after the last tensor
};

// A safetensors file: the header is read and checked whole when it is opened, tensors one by one after.
// Every rule of the format is enforced (no overlap, no hole, no duplicate name, sizes that agree), in
// time linear in the number of tensors. Throws malformed, unsupported, resource_limit or io.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path, const SafetensorsOptions& options = {});

  const std::map<std::string, SafetensorsEntry, std::less<>>& entries() const { return entries_; }
  const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }
  bool contains(std::string_view name) const { return entries_.find(name) != entries_.end(); }
  // Throws malformed naming file and tensor when there is no such tensor.
  Tensor read(std::string_view name) const;
  const std::string& label() const { return file_.label(); }

 private:
  InputFile file_;
  std::map<std::string, SafetensorsEntry, std::less<>> entries_;
  std::map<std::string, std::string, std::less<>> metadata_;
};

// Writes the tensors (any strides) in the given order, data aligned to 8 bytes.
void write_safetensors(const std::filesystem::path& path,
                       const std::vector<std::pair<std::string, ConstTensorView>>& tensors,
                       const std::map<std::string, std::string>& metadata = {},
                       Overwrite overwrite = Overwrite::refuse);

}  // namespace ropewalk
