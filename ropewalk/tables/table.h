#pragma once

#include <cstdint>
#include <span>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/spectrum.h"
#include "ropewalk/kernels/rope/rope.h"

namespace ropewalk {

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
