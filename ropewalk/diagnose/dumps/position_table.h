#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/encoding/position_ids.h"

namespace ropewalk {

// The position of each token on each axis, [axes, batch, length] row-major.
struct PositionTable {
  int64_t axes = 1, batch = 1, length = 0;
  std::vector<int64_t> ids;

  int64_t at(int64_t axis, int64_t b, int64_t s) const {
    return ids[static_cast<size_t>((axis * batch + b) * length + s)];
  }
  bool operator==(const PositionTable&) const = default;
};

// Throws invalid_argument as PositionReader.
PositionTable position_table(const PositionIds& positions, int64_t batch, int64_t length,
                             int64_t axes);

// What a program may take in the place of the positions that it was given.
struct PositionChange {
  enum class Kind {
    none,
    offset,      // p + number
    row_offset,  // p + order[b], each sequence b of the batch by its own
    index,       // the place of the token in its row: 0, 1, 2, ...
    restart,     // from the token `number` on, counted from 0 again
    zero_based,  // p - the first of the row
    constant,    // `number` for every token
    one_token,   // that of the token `number` of the row, for all of it
    first_row,   // those of the first sequence, for all of the batch
    reversed,    // those of the row from its end
    clamped,     // min(p, number - 1)
    wrapped,     // p modulo number
    axis_order,  // axis a takes the positions of axis order[a]
    bf16,        // rounded to the type
    f16,
    f32,
  };
  Kind kind = Kind::none;
  int64_t number = 0;
  std::vector<int32_t> order = {};

  bool operator==(const PositionChange&) const = default;
};

PositionTable changed(const PositionTable& table, const PositionChange& change);

}  // namespace ropewalk
