#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ropewalk/base/dtype.h"

namespace ropewalk {

// An element type of PyTorch, by the names that torch.save writes.
struct TorchType {
  std::string_view name;     // "float32"
  std::string_view storage;  // "FloatStorage"; empty: stored as bytes, the type beside them
  int bytes = 0;
  std::optional<DType> dtype;  // none: ropewalk cannot hold it
};

// The type of the real and imaginary parts of a complex one; null for others.
const TorchType* torch_type_of_parts(const TorchType& type);

// Null for a name that is not in the list.
const TorchType* torch_type(std::string_view name);
const TorchType* torch_storage_type(std::string_view storage);
// "float64, float32, ..."
std::string supported_torch_types();

}  // namespace ropewalk
