#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/base/dtype.h"
#include "ropewalk/base/fraction.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// What makes a row of cos and sin: the frequencies of a spectrum, a factor, a sign.
struct RowSource {
  const uint64_t* hi = nullptr;  // [pairs] turns, see Turns
  const uint64_t* mid = nullptr;
  const uint64_t* lo = nullptr;
  const int32_t* axis = nullptr;  // [pairs]; null: every pair on axis 0
  int64_t pairs = 0;
  double scale = 1;         // multiplies cos and sin before they are rounded; positive
  bool negate_sin = false;  // the other way round
  bool wide = false;        // a frequency so close to a whole turn that it needs all 192 bits
};

// The source reads the spectrum's memory, which must outlive it.
RowSource row_source(const Spectrum& spectrum, double scale, bool negate_sin);

// cos(p w) scale and sin(p w) scale for each pair, p = positions[axis of the pair]: exact phases
// (integer multiplication modulo one turn), a double polynomial, and a rounding test, so that each
// number is the exact value correctly rounded to float32; where double cannot decide, 320-bit fixed
// point does.
void cos_sin_row(const RowSource& source, const int64_t* positions, float* cos, float* sin);

// cos and sin of 0, 1, ... steps in double: with them each row of a run of consecutive positions
// costs one complex product a pair instead of a polynomial. Made once, shared by threads.
struct RowSteps {
  int64_t rows = 0;              // 0: none, every row is made by itself
  std::vector<double> cos, sin;  // [rows, pairs]
};

// The steps for runs of `rows` rows in all; none where they would not pay.
RowSteps row_steps(const RowSource& source, int64_t rows);

// Rows of consecutive positions first, first + 1, ... on one axis; row r is written at
// cos + r stride, sin + r stride. The same bits as cos_sin_row.
void cos_sin_run(const RowSource& source, const RowSteps& steps, int64_t first, int64_t rows,
                 int64_t stride, float* cos, float* sin);

// The same numbers in turn: row r is sin, cos, sin, cos, ... of the pairs from out + r stride on.
void sin_cos_run(const RowSource& source, const RowSteps& steps, int64_t first, int64_t rows,
                 int64_t stride, float* out);

// cos_sin_run with steps of its own.
void cos_sin_rows(const RowSource& source, int64_t first, int64_t rows, int64_t stride, float* cos,
                  float* sin);

// The same rounded once to bf16 or f16, which rounding the float32 numbers again is not: one that
// lies on a tie of the 16-bit type may come from either side of it.
void cos_sin_half_run(const RowSource& source, const RowSteps& steps, DType dtype, int64_t first,
                      int64_t rows, int64_t stride, uint16_t* cos, uint16_t* sin);

// One entry the slow way, for any position: what the rounding test falls back to.
void cos_sin_exactly(const RowSource& source, int64_t pair, int64_t position, float* cos,
                     float* sin, const FloatFormat& format = kFloat32Format);

}  // namespace ropewalk
