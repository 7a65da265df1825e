#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/rotary_layout.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// Where each pair points at each position: cos and sin, one row per position.
struct CosSinTable {
  int64_t rows = 0, pairs = 0;
  std::vector<float> cos, sin;  // [rows, pairs]
  int64_t first = 0;            // position of row 0

  bool operator==(const CosSinTable&) const = default;
};

// The same in bf16 or f16.
struct HalfCosSinTable {
  DType dtype = DType::bf16;
  int64_t rows = 0, pairs = 0;
  std::vector<uint16_t> cos, sin;  // [rows, pairs]
  int64_t first = 0;

  bool operator==(const HalfCosSinTable&) const = default;
};

// A caller's own table, not assumed to lie on the circle; or one of the two above.
struct TableView {
  ConstTensorView cos, sin;  // f32, bf16 or f16, [rows, P], any strides
  int64_t first = 0;         // position of row 0
};
TableView view_of(const CosSinTable& table);
TableView view_of(const HalfCosSinTable& table);

// Which way a call rotates.
enum class Direction {
  forward,    // R(p) x
  inverse,    // undoes forward: R(-p) x / attention_scaling
  transpose,  // the backward pass: attention_scaling R(-p) x, the inverse only where that is 1
};

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

// The rows of the tokens of one step, made once and used by every layer: what the first apply_rope
// computes on the fly.
struct RopeRows {
  int64_t batch = 0, length = 0, pairs = 0;
  Direction direction = Direction::forward;
  std::vector<float> rows;  // [batch, length, 2, pairs]: cos, then sin, of each token

  bool operator==(const RopeRows&) const = default;
};

// For `batch` sequences of `length` tokens; batch 1 serves any number of sequences at the same
// positions. Throws as apply_rope does for the positions, and resource_limit past 2^40 bytes.
RopeRows make_rope_rows(const Spectrum& spectrum, const PositionIds& positions, int64_t batch,
                        int64_t length, Direction direction = Direction::forward,
                        const Parallel& parallel = {});

// The same bits as with the spectrum and positions of the rows. options.direction must be the
// rows' own.
void apply_rope(const RopeRows& rows, const RotaryLayout& layout, const Rotated& q,
                const std::optional<Rotated>& k = std::nullopt, const RopeOptions& options = {});

}  // namespace ropewalk
