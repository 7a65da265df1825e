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

// A tensor that is well formed but that no Tensor can hold: its type is not a DType, or it has more
// than 8 dimensions.
struct SafetensorsUnsupported {
  std::string dtype;  // as the file writes it
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // bytes from the start of the file
};

struct SafetensorsOptions {
  bool allow_trailing = false;  // accept bytes after the last tensor
};

// A safetensors file: the header is read and checked whole when it is opened, tensors one by one
// after. Every rule of the format is enforced (no overlap, no hole, no duplicate name, sizes that
// agree), in time linear in the header (n log n in the tensors where their names are not sorted)
// and in memory that the header bounds. Throws malformed, unsupported, resource_limit (a header
// over 100,000,000 bytes, the limit of the reference implementation) or io.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path,
                           const SafetensorsOptions& options = {});

  const std::map<std::string, SafetensorsEntry, std::less<>>& entries() const { return entries_; }
  const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }
  bool contains(std::string_view name) const { return entries_.find(name) != entries_.end(); }
  // The tensors that `read` refuses; they are in none of the above, and their place in the file is
  // checked like that of the others.
  const std::map<std::string, SafetensorsUnsupported, std::less<>>& unsupported() const {
    return unsupported_;
  }
  // What is accepted but strange: white space before the header, unknown fields, bytes after the
  // last tensor. The first 16, each a line like an error's.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Throws malformed naming file and tensor when there is no such tensor, unsupported when it is
  // one of unsupported().
  Tensor read(std::string_view name) const;
  const std::string& label() const { return file_.label(); }

 private:
  InputFile file_;
  std::map<std::string, SafetensorsEntry, std::less<>> entries_;
  std::map<std::string, SafetensorsUnsupported, std::less<>> unsupported_;
  std::map<std::string, std::string, std::less<>> metadata_;
  std::vector<std::string> warnings_;
};

// Writes the tensors (any strides) in the given order, the data beginning at a multiple of 8 bytes.
// Throws invalid_argument for a name that is used twice, is "__metadata__" or is not UTF-8, and
// resource_limit for a header that no reader would accept.
void write_safetensors(const std::filesystem::path& path,
                       const std::vector<std::pair<std::string, ConstTensorView>>& tensors,
                       const std::map<std::string, std::string>& metadata = {},
                       Overwrite overwrite = Overwrite::refuse);

}  // namespace ropewalk
