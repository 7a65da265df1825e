#include "ropewalk/diagnose/table_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

// [..., S, C] with ones before.
void check_shape(const ConstTensorView& table, const char* what) {
  bool fits = table.shape.size() >= 2;
  for (auto i = table.shape.size() - 3; i >= 0; --i) fits = fits && table.shape[i] == 1;
  if (fits && is_floating(table.dtype)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: expected rows [positions, numbers] of f32, f64, bf16 or f16, found "
                          "{} {}",
                          what, name(table.dtype), to_string(table.shape)));
}

double half_step(DType dtype) {
  if (dtype == DType::bf16) return 0x1p-9;
  return dtype == DType::f16 ? 0x1p-12 : 0x1p-25;
}

std::vector<double> numbers_of(const ConstTensorView& table) {
  const Tensor wide = converted(table, DType::f64);
  std::vector<double> numbers(wide.bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), wide.bytes.data(), wide.bytes.size());
  return numbers;
}

struct Table {
  std::vector<double> cos, sin;
  DType dtype;
  int64_t rows, columns, first;
};

// The pair of each column.
std::vector<size_t> pairs_of(const RotaryLayout& layout, RowForm form, int64_t columns) {
  std::vector<size_t> pairs;
  if (form == RowForm::doubled) {
    size_t first = 0;
    for (const RotaryWindow& window : layout.windows) {
      const auto half = static_cast<size_t>(window.dim / 2);
      for (size_t c = 0; c < 2 * half; ++c) pairs.push_back(first + c % half);
      first += half;
    }
    return pairs;
  }
  for (int64_t c = 0; c < columns; ++c) {
    pairs.push_back(static_cast<size_t>(form == RowForm::half ? c : c / 2));
  }
  return pairs;
}

// The same position on every axis.
Tensor ids_of(const RopeConfig& rope, const Table& table) {
  const int64_t axes = axis_count(make_spectrum(rope));
  std::vector<int64_t> positions;
  for (int64_t axis = 0; axis < axes; ++axis) {
    for (int64_t r = 0; r < table.rows; ++r) positions.push_back(table.first + r);
  }
  Tensor ids = make_tensor(DType::i64, axes == 1 ? Dims{table.rows} : Dims{axes, 1, table.rows});
  if (!positions.empty()) std::memcpy(ids.bytes.data(), positions.data(), ids.bytes.size());
  return ids;
}

TableCheck compared(const RopeConfig& rope, const Table& table, RowForm form) {
  TableCheck check{
      .form = form, .rows = table.rows, .columns = table.columns, .pairs = pair_count(rope.layout)};
  const Spectrum spectrum = make_spectrum(rope);
  const std::vector<size_t> pairs = pairs_of(rope.layout, form, table.columns);
  const CosSin exact = cos_sin(rope, ids_of(rope, table).view(), {.form = form});
  const std::vector<double> cos = numbers_of(exact.cos.view()), sin = numbers_of(exact.sin.view());
  const double scale = std::max(1.0, spectrum.attention_scaling);
  const auto columns = static_cast<size_t>(table.columns);
  for (size_t i = 0; i < cos.size(); ++i) {
    const int64_t position = table.first + static_cast<int64_t>(i / columns);
    const double angle =
        std::abs(static_cast<double>(position) * spectrum.inv_freq[pairs[i % columns]]);
    const double slack = scale * (0x1p-22 * angle + 0x1p-22 + half_step(table.dtype));
    for (const bool of_sin : {false, true}) {
      const double found = of_sin ? table.sin[i] : table.cos[i],
                   expected = of_sin ? sin[i] : cos[i], off = std::abs(found - expected);
      if (off <= slack) continue;
      if (check.wrong++ == 0) {
        check.fault = TableCheck::Fault::differs;
        check.in_sin = of_sin;
        check.position = position;
        check.column = static_cast<int64_t>(i % columns);
        check.found = found;
        check.expected = expected;
      }
      check.largest = off <= check.largest ? check.largest : off;  // a NaN stays
    }
  }
  return check;
}

}  // namespace

std::string_view name(TableCheck::Fault fault) {
  switch (fault) {
    case TableCheck::Fault::none:
      return "none";
    case TableCheck::Fault::shape:
      return "shape";
    case TableCheck::Fault::differs:
      return "differs";
  }
  return "";
}

TableCheck check_table(const RopeConfig& rope, const ConstTensorView& cos,
                       const ConstTensorView& sin, int64_t first) {
  check_shape(cos, "cos");
  check_shape(sin, "sin");
  const int64_t rows = cos.shape[cos.shape.size() - 2], columns = cos.shape.back();
  if (sin.shape[sin.shape.size() - 2] != rows || sin.shape.back() != columns) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("sin: expected the shape of cos, {}, found {}", to_string(cos.shape),
                            to_string(sin.shape)));
  }
  const Table table{numbers_of(cos), numbers_of(sin), cos.dtype, rows, columns, first};
  const int64_t pairs = pair_count(rope.layout);
  if (columns == pairs) return compared(rope, table, RowForm::half);
  if (columns != 2 * pairs) {
    return {.fault = TableCheck::Fault::shape, .rows = rows, .columns = columns, .pairs = pairs};
  }
  const TableCheck doubled = compared(rope, table, RowForm::doubled);
  if (doubled.fault == TableCheck::Fault::none) return doubled;
  const TableCheck neighbours = compared(rope, table, RowForm::interleaved);
  return neighbours.wrong < doubled.wrong ? neighbours : doubled;
}

}  // namespace ropewalk
