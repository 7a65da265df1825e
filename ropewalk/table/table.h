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

}  // namespace ropewalk
