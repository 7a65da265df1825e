#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ropewalk {

// Element types of tensors and files. Rotation works on f32, bf16 and f16; the others are read,
// written and listed.
enum class DType : uint8_t {
  boolean,
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  u64,
  i64,
  f8_e4m3,
  f8_e5m2,
  f16,
  bf16,
  f32,
  f64
};

size_t size_in_bytes(DType dtype);
// "f32", "bf16", "i64", ...
std::string_view name(DType dtype);
bool is_floating(DType dtype);

}  // namespace ropewalk
