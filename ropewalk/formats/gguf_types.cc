#include "ropewalk/formats/gguf_types.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace ropewalk {
namespace {

struct ValueType {
  std::string_view name;
  uint64_t size_in_bytes = 0;
};

constexpr ValueType kValueTypes[kGgufTypes] = {
    {"u8", 1},   {"i8", 1},     {"u16", 2},   {"i16", 2}, {"u32", 4}, {"i32", 4}, {"f32", 4},
    {"bool", 1}, {"string", 0}, {"array", 0}, {"u64", 8}, {"i64", 8}, {"f64", 8},
};

// ggml.h and the blocks of ggml-common.h. Left out: 4, 5, 31 to 33 and 36 to 38, which ggml
// removed.
constexpr GgmlType kGgmlTypes[] = {
    {0, "F32", 1, 4, DType::f32},  {1, "F16", 1, 2, DType::f16},    {2, "Q4_0", 32, 18, {}},
    {3, "Q4_1", 32, 20, {}},       {6, "Q5_0", 32, 22, {}},         {7, "Q5_1", 32, 24, {}},
    {8, "Q8_0", 32, 34, {}},       {9, "Q8_1", 32, 36, {}},         {10, "Q2_K", 256, 84, {}},
    {11, "Q3_K", 256, 110, {}},    {12, "Q4_K", 256, 144, {}},      {13, "Q5_K", 256, 176, {}},
    {14, "Q6_K", 256, 210, {}},    {15, "Q8_K", 256, 292, {}},      {16, "IQ2_XXS", 256, 66, {}},
    {17, "IQ2_XS", 256, 74, {}},   {18, "IQ3_XXS", 256, 98, {}},    {19, "IQ1_S", 256, 50, {}},
    {20, "IQ4_NL", 32, 18, {}},    {21, "IQ3_S", 256, 110, {}},     {22, "IQ2_S", 256, 82, {}},
    {23, "IQ4_XS", 256, 136, {}},  {24, "I8", 1, 1, DType::i8},     {25, "I16", 1, 2, DType::i16},
    {26, "I32", 1, 4, DType::i32}, {27, "I64", 1, 8, DType::i64},   {28, "F64", 1, 8, DType::f64},
    {29, "IQ1_M", 256, 56, {}},    {30, "BF16", 1, 2, DType::bf16}, {34, "TQ1_0", 256, 54, {}},
    {35, "TQ2_0", 256, 66, {}},    {39, "MXFP4", 32, 17, {}},       {40, "NVFP4", 64, 36, {}},
    {41, "Q1_0", 128, 18, {}},
};

}  // namespace

std::string_view name(GgufType type) { return kValueTypes[static_cast<size_t>(type)].name; }

uint64_t gguf_size_in_bytes(GgufType type) {
  return kValueTypes[static_cast<size_t>(type)].size_in_bytes;
}

std::string description(const GgufValue& value) {
  if (value.type == GgufType::string) return fmt::format("a string of {} bytes", value.count);
  if (value.type != GgufType::array) return fmt::format("a value of type {}", name(value.type));
  return fmt::format("an array of {} x {}", value.count, name(value.element));
}

const GgmlType* ggml_type(uint32_t id) {
  const auto found = std::find_if(std::begin(kGgmlTypes), std::end(kGgmlTypes),
                                  [id](const GgmlType& type) { return type.id == id; });
  return found == std::end(kGgmlTypes) ? nullptr : found;
}

}  // namespace ropewalk
