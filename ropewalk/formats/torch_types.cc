#include "ropewalk/formats/torch_types.h"

namespace ropewalk {
namespace {

// torch/storage.py, _dtype_to_storage_type_map: those without a storage are rebuilt by
// _rebuild_tensor_v3.
constexpr TorchType kTypes[] = {
    {"float64", "DoubleStorage", 8, DType::f64},
    {"float32", "FloatStorage", 4, DType::f32},
    {"float16", "HalfStorage", 2, DType::f16},
    {"bfloat16", "BFloat16Storage", 2, DType::bf16},
    {"int64", "LongStorage", 8, DType::i64},
    {"int32", "IntStorage", 4, DType::i32},
    {"int16", "ShortStorage", 2, DType::i16},
    {"int8", "CharStorage", 1, DType::i8},
    {"uint8", "ByteStorage", 1, DType::u8},
    {"bool", "BoolStorage", 1, DType::boolean},
    {"uint16", "", 2, DType::u16},
    {"uint32", "", 4, DType::u32},
    {"uint64", "", 8, DType::u64},
    {"float8_e4m3fn", "", 1, DType::f8_e4m3},
    {"float8_e5m2", "", 1, DType::f8_e5m2},
    {"complex64", "ComplexFloatStorage", 8, std::nullopt},
    {"complex128", "ComplexDoubleStorage", 16, std::nullopt},
};

}  // namespace

const TorchType* torch_type(std::string_view name) {
  for (const TorchType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

const TorchType* torch_type_of_parts(const TorchType& type) {
  if (type.name == "complex64") return torch_type("float32");
  return type.name == "complex128" ? torch_type("float64") : nullptr;
}

const TorchType* torch_storage_type(std::string_view storage) {
  for (const TorchType& type : kTypes) {
    if (!storage.empty() && type.storage == storage) return &type;
  }
  return nullptr;
}

std::string supported_torch_types() {
  std::string names;
  for (const TorchType& type : kTypes) {
    if (type.dtype) names.append(names.empty() ? "" : ", ").append(type.name);
  }
  return names;
}

}  // namespace ropewalk
