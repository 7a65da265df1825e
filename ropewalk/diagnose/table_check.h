#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/tables/cos_sin.h"

namespace ropewalk {

// A table of cos and sin that another program made, beside the exact one.
struct TableCheck {
  enum class Fault {
    none,
    shape,   // its rows are of no form that the model's pairs have
    differs  // numbers that no rounding explains
  };
  Fault fault = Fault::none;
  RowForm form = RowForm::half;
  int64_t rows = 0, columns = 0, pairs = 0;  // of the table; of the model
  // differs: the first number that does, and how many of all do.
  bool in_sin = false;
  int64_t position = 0, column = 0;
  double found = 0, expected = 0;
  int64_t wrong = 0;
  double largest = 0;  // |found - expected| of all

  bool operator==(const TableCheck&) const = default;
};

std::string_view name(TableCheck::Fault fault);

// cos and sin [..., S, C] in f32, f64, bf16 or f16 of positions first, first + 1, ..., the leading
// dimensions 1; C is one number for each pair, or two, doubled or interleaved, whichever fits
// better. A number may be off by what float32 angles and the type of the table explain:
//   |found - expected| <= 2^-22 |angle| + 2^-22 + half a step of the type at 1
// Throws invalid_argument for shapes that are not those of a table, and as make_spectrum.
TableCheck check_table(const RopeConfig& rope, const ConstTensorView& cos,
                       const ConstTensorView& sin, int64_t first = 0);

}  // namespace ropewalk
