#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ropewalk/base/dtype.h"

// The two lists of types of the format.
namespace ropewalk {

// Kinds of metadata values, numbered as in the file.
enum class GgufType : uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64
};
constexpr uint32_t kGgufTypes = 13;
std::string_view name(GgufType type);

// Where a value is; the getters of GgufFile read it.
struct GgufValue {
  GgufType type = GgufType::u8;
  GgufType element = GgufType::u8;  // of an array
  uint64_t count = 1;               // elements of an array, bytes of a string
  uint64_t offset = 0;              // of the number, or of the first element, in the file
};

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
