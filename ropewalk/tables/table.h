#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_view.h"
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

// cos and sin of positions first .. first + rows - 1, correctly rounded to float32 and multiplied
// by attention_scaling before the rounding. For spectra with one axis. Throws resource_limit when
// the table would exceed 2^40 bytes.
CosSinTable make_table(const Spectrum& spectrum, int64_t first, int64_t rows,
                       const Parallel& parallel = {});

// The same in bf16 or f16: the exact value correctly rounded to that type, once, denormals too (a
// float32 table rounded again has wrong numbers where the first rounding landed on a tie). Worked
// number: inv_freq 0.01, position 1, bf16: cos 1, sin 0x3C24 = 0.010009765625. For engines whose
// tables are 16 bits wide: apply_rope without a table turns by float32 rows, which is closer.
HalfCosSinTable make_half_table(const Spectrum& spectrum, DType dtype, int64_t first, int64_t rows,
                                const Parallel& parallel = {});

}  // namespace ropewalk
