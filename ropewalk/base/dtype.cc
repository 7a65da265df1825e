#include "ropewalk/base/dtype.h"

#include <array>

namespace ropewalk {
namespace {

struct Row {
  std::string_view name;
  size_t size_in_bytes;
  bool floating;
};

// In the order of the enum.
constexpr std::array<Row, 15> kRows = {{{"bool", 1, false},
                                        {"u8", 1, false},
                                        {"i8", 1, false},
                                        {"u16", 2, false},
                                        {"i16", 2, false},
                                        {"u32", 4, false},
                                        {"i32", 4, false},
                                        {"u64", 8, false},
                                        {"i64", 8, false},
                                        {"f8_e4m3", 1, true},
                                        {"f8_e5m2", 1, true},
                                        {"f16", 2, true},
                                        {"bf16", 2, true},
                                        {"f32", 4, true},
                                        {"f64", 8, true}}};
static_assert(kRows.size() == static_cast<size_t>(DType::f64) + 1);

}  // namespace

size_t size_in_bytes(DType dtype) { return kRows[static_cast<size_t>(dtype)].size_in_bytes; }
std::string_view name(DType dtype) { return kRows[static_cast<size_t>(dtype)].name; }
bool is_floating(DType dtype) { return kRows[static_cast<size_t>(dtype)].floating; }

}  // namespace ropewalk
