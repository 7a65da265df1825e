#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ropewalk/base/dtype.h"

namespace ropewalk {

// The limit of the reference implementation, for readers and writers.
constexpr uint64_t kLongestSafetensorsHeader = 100'000'000;

// An element type of the format.
struct SafetensorsType {
  std::string_view name;
  int bits = 0;
  std::optional<DType> dtype;  // none: ropewalk cannot hold it
};

// Null for a name that the format does not know.
const SafetensorsType* safetensors_type(std::string_view name);
std::string_view safetensors_name(DType dtype);
// "BOOL, U8, I8, ..."
std::string supported_safetensors_types();

}  // namespace ropewalk
