#include "ropewalk/formats/safetensors_types.h"

namespace ropewalk {
namespace {

constexpr SafetensorsType kTypes[] = {
    {"BOOL", 8, DType::boolean},
    {"U8", 8, DType::u8},
    {"I8", 8, DType::i8},
    {"U16", 16, DType::u16},
    {"I16", 16, DType::i16},
    {"U32", 32, DType::u32},
    {"I32", 32, DType::i32},
    {"U64", 64, DType::u64},
    {"I64", 64, DType::i64},
    {"F8_E4M3", 8, DType::f8_e4m3},
    {"F8_E5M2", 8, DType::f8_e5m2},
    {"F16", 16, DType::f16},
    {"BF16", 16, DType::bf16},
    {"F32", 32, DType::f32},
    {"F64", 64, DType::f64},
    {"F4", 4, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},
    {"F8_E8M0", 8, std::nullopt},
    {"F8_E4M3FNUZ", 8, std::nullopt},
    {"F8_E5M2FNUZ", 8, std::nullopt},
    {"C64", 64, std::nullopt},
};

}  // namespace

const SafetensorsType* safetensors_type(std::string_view name) {
  for (const SafetensorsType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::string_view safetensors_name(DType dtype) {
  for (const SafetensorsType& type : kTypes) {
    if (type.dtype == dtype) return type.name;
  }
  return {};
}

std::string supported_safetensors_types() {
  std::string names;
  for (const SafetensorsType& type : kTypes) {
    if (type.dtype) names.append(names.empty() ? "" : ", ").append(type.name);
  }
  return names;
}

}  // namespace ropewalk
