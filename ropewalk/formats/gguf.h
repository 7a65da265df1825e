#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/gguf_types.h"

namespace ropewalk {

struct GgufTensor {
  uint32_t type = 0;    // ggml's number: 0 F32, 1 F16, 30 BF16, ...
  Dims shape;           // outermost first: the file's dimensions the other way round
  uint64_t offset = 0;  // bytes from the start of the file
  std::optional<uint64_t> size_in_bytes;  // none for a type that is not known
};

// A GGUF file (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), versions 2 and 3, in
// either byte order: its keys and its tensor directory are checked when it is opened, values and
// tensors read one by one after. Time is linear in the directory (n log n where names are not
// sorted), arrays are skipped, not kept, and no memory is taken for a count before the file is
// known to have the bytes for it. Throws malformed, unsupported (other versions, the formats before
// GGUF) or io; every message names the file and the byte, and key or tensor where there is one.
class GgufFile {
 public:
  explicit GgufFile(const std::filesystem::path& path);

  uint32_t version() const { return version_; }
  std::endian byte_order() const { return order_; }
  const std::map<std::string, GgufValue, std::less<>>& metadata() const { return metadata_; }
  const std::map<std::string, GgufTensor, std::less<>>& tensors() const { return tensors_; }
  // What is accepted but strange: data that the file is too short for, bytes after the last tensor,
  // one part of a split model. The first 16, each a line like an error's.
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::string& label() const { return file_.label(); }

  // "llama", "qwen2", ...: the first word of the model's keys. Throws malformed when the key
  // general.architecture is missing, empty or no string.
  std::string architecture() const;

  // The value of a key, none when there is no such key. A key of another type is malformed:
  // `integer` takes any integer type (not boolean) whose value fits int64, `number` f32 and f64,
  // `integers` an array of integers or booleans (0, 1), `numbers` an array of f32 or f64.
  std::optional<std::string> text(std::string_view key) const;
  std::optional<int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::vector<int64_t>> integers(std::string_view key) const;
  std::optional<std::vector<double>> numbers(std::string_view key) const;
  std::optional<std::vector<std::string>> texts(std::string_view key) const;
  bool is_array(std::string_view key) const;

  // F32, F16, BF16, F64, I8, I16, I32 or I64. Throws malformed when there is no such tensor or the
  // file ends before its last byte, unsupported for a quantized or unknown type.
  Tensor read(std::string_view name) const;

  // Throws malformed: "<file>: byte N: key "<key>": <what>", for a value that breaks a rule of the
  // caller's; a missing key is named too, with where the other parts of a split model may have it.
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;

 private:
  const GgufValue* find(std::string_view key) const;
  // The key's value if it is of a wanted kind, else malformed: "expected <wanted>, found ...".
  const GgufValue* find(std::string_view key, bool (*wanted)(const GgufValue&),
                        std::string_view expected) const;
  std::string split_hint() const;

  InputFile file_;
  uint32_t version_ = 0;
  std::endian order_ = std::endian::little;
  std::map<std::string, GgufValue, std::less<>> metadata_;
  std::map<std::string, GgufTensor, std::less<>> tensors_;
  std::vector<std::string> warnings_;
};

}  // namespace ropewalk
