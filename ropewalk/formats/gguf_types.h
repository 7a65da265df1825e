#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ropewalk/base/dtype.h"
#include "ropewalk/formats/gguf.h"

// The two lists of types of the format, for its readers.
namespace ropewalk {

constexpr uint32_t kGgufTypes = 13;

// Bytes of a number; 0 for a string or an array.
uint64_t gguf_size_in_bytes(GgufType type);

// "a string of 5 bytes", "an array of 3 x u8", "a value of type u32".
std::string description(const GgufValue& value);

// A type of tensors: `block` elements, side by side in a row, in `bytes` bytes.
struct GgmlType {
  uint32_t id = 0;
  std::string_view name;
  uint32_t block = 1, bytes = 0;
  std::optional<DType> dtype;  // none: quantized
};

// Null for a number that ggml does not use, or no longer.
const GgmlType* ggml_type(uint32_t id);

}  // namespace ropewalk
