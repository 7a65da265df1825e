#pragma once

#include <cstdint>
#include <optional>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/rotary_layout.h"
#include "ropewalk/encoding/spectrum.h"
#include "ropewalk/tables/rope_rows.h"
#include "ropewalk/tables/table.h"

namespace ropewalk {

// A tensor and where its rotation goes: the same view twice rotates in place.
struct Rotated {
  ConstTensorView in;
  TensorView out;
};

inline Rotated in_place(const TensorView& x) { return {x, x}; }

struct RopeOptions {
  TensorLayout tensor_layout = TensorLayout::bshd;
  Direction direction = Direction::forward;
  std::optional<RotaryLayout> output_layout;  // where the pairs go; absent: where they came from
  Parallel parallel;
};

// Rotates q and k (k may be absent) by their positions:
//   y_a = x_a cos(p w_i) - x_b sin(p w_i),  y_b = x_b cos(p w_i) + x_a sin(p w_i)
// for each pair i = (a, b) of the layout.
// Worked number: head_dim 4, inv_freq [1, 0.01], half_split, position 1: [1, 2, 3, 4] becomes
// [-1.984111, 1.959901, 2.462378, 4.0198].
//
// The angle is exact and cos, sin are correctly rounded to float32; products and sums are float32,
// rounded one by one; bf16 and f16 results are rounded once, to nearest even. The bits of the
// result depend on nothing else: not on the instruction set, threads, strides, batch or layout.
//
// q and k may have different head counts and types. Output may be the input view itself; any other
// overlap of what is written is refused. Throws invalid_argument or unsupported before anything is
// written.
void apply_rope(const Spectrum& spectrum, const RotaryLayout& layout, const PositionIds& positions,
                const Rotated& q, const std::optional<Rotated>& k = std::nullopt,
                const RopeOptions& options = {});

// The same with a table: token t of sequence b takes the row of position_ids[b, t], which the table
// must have: out_of_range names the token otherwise. Direction::inverse divides by cos^2 + sin^2.
void apply_rope(const TableView& table, const RotaryLayout& layout, const PositionIds& positions,
                const Rotated& q, const std::optional<Rotated>& k = std::nullopt,
                const RopeOptions& options = {});

// The same bits as with the spectrum and positions of the rows. options.direction must be the
// rows' own.
void apply_rope(const RopeRows& rows, const RotaryLayout& layout, const Rotated& q,
                const std::optional<Rotated>& k = std::nullopt, const RopeOptions& options = {});

}  // namespace ropewalk
