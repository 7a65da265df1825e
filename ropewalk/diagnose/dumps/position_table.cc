#include "ropewalk/diagnose/dumps/position_table.h"

#include <algorithm>

#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

using Kind = PositionChange::Kind;

int64_t rounded(int64_t position, Kind kind) {
  const auto narrow = static_cast<float>(position);
  if (kind == Kind::bf16) return static_cast<int64_t>(float_from_bf16(bf16_from_float(narrow)));
  if (kind == Kind::f32) return static_cast<int64_t>(narrow);
  return static_cast<int64_t>(
      float_from_f16(f16_from_float(std::clamp(narrow, -65504.0f, 65504.0f))));
}

int64_t changed_at(const PositionTable& table, const PositionChange& change, int64_t axis,
                   int64_t b, int64_t s) {
  const int64_t p = table.at(axis, b, s);
  switch (change.kind) {
    case Kind::none:
      return p;
    case Kind::offset:
      return p + change.number;
    case Kind::row_offset:
      return p + change.order[static_cast<size_t>(b)];
    case Kind::index:
      return s;
    case Kind::restart:
      return s >= change.number ? s - change.number : p;
    case Kind::zero_based:
      return p - table.at(axis, b, 0);
    case Kind::constant:
      return change.number;
    case Kind::one_token:
      return table.at(axis, b, change.number);
    case Kind::first_row:
      return table.at(axis, 0, s);
    case Kind::reversed:
      return table.at(axis, b, table.length - 1 - s);
    case Kind::clamped:
      return std::min(p, change.number - 1);
    case Kind::wrapped:
      return ((p % change.number) + change.number) % change.number;
    case Kind::axis_order:
      return table.at(change.order[static_cast<size_t>(axis)], b, s);
    default:
      return rounded(p, change.kind);
  }
}

}  // namespace

PositionTable position_table(const PositionIds& positions, int64_t batch, int64_t length,
                             int64_t axes) {
  const PositionReader reader(positions, batch, length, axes);
  PositionTable table{.axes = axes, .batch = batch, .length = length};
  table.ids.reserve(static_cast<size_t>(axes * batch * length));
  for (int64_t axis = 0; axis < axes; ++axis) {
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t s = 0; s < length; ++s) table.ids.push_back(reader.at(axis, b, s));
    }
  }
  return table;
}

PositionTable changed(const PositionTable& table, const PositionChange& change) {
  if (change.kind == Kind::none) return table;
  PositionTable result = table;
  size_t i = 0;
  for (int64_t axis = 0; axis < table.axes; ++axis) {
    for (int64_t b = 0; b < table.batch; ++b) {
      for (int64_t s = 0; s < table.length; ++s) {
        result.ids[i++] = changed_at(table, change, axis, b, s);
      }
    }
  }
  return result;
}

}  // namespace ropewalk
