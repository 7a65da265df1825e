#pragma once

#include "ropewalk/base/dtype.h"
#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/diagnose/dumps/pair_fits.h"

namespace ropewalk {

// As [batch, seq, heads, head_dim]. Throws invalid_argument unless both have one shape of this
// layout with some tokens and heads, a type that is read (f32, bf16, f16), and finite numbers.
Dumps checked_dumps(const ConstTensorView& before, const ConstTensorView& after,
                    TensorLayout layout);

// The coarsest of `least` and the types that the numbers of two dumps are of, whatever type holds
// them: f32 numbers that bf16 has, all of them, are bf16.
struct DumpRounding {
  DType dtype = DType::f32;
  double half_step = 0x1p-23;  // relative; of f32 two, for cos and sin of other libraries
  double ulp = 0x1p-23;
};

DumpRounding rounding_of(const Dumps& dumps, DType least, bool exact_before);

}  // namespace ropewalk
