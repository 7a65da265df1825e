#pragma once

#include <cstdint>
#include <optional>

#include "ropewalk/apply/rope.h"
#include "ropewalk/kernels/rope/rope_kernel.h"

namespace ropewalk {

// Throws unsupported unless it is f32, bf16 or f16.
void check_rope_dtype(DType dtype, const char* what);

// Everything but the rows, which must have `pairs` pairs. Nothing has been written when it throws.
void fill_rope_job(RopeJob& job, const RotaryLayout& layout, int64_t pairs, const Rotated& q,
                   const std::optional<Rotated>& k, const RopeOptions& options);

}  // namespace ropewalk
