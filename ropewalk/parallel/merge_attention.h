#pragma once

#include <span>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_view.h"

namespace ropewalk {

// What attend found over some of the keys: all that it knows of them.
struct AttentionParts {
  TensorView out;  // [tokens, heads, channels] float32
  TensorView lse;  // [heads, tokens] float32
};

// What `from` found over other keys joins `into`, for the same queries:
//   lse = ln(e^a + e^b), out = e^(a - lse) out_a + e^(b - lse) out_b
// A part with lse -infinity (no key was seen) is left out, whatever its out is. Worked number: out
// 0 and lse ln 1, merged with out 4 and lse ln 3, are out 3 and lse ln 4. The weights are computed
// in float64; a rounding of each lse, which is as large as one of the largest score, and three of
// out are what a merge adds to the bounds of attend. Throws invalid_argument for shapes that do not
// fit.
void merge_attention(const AttentionParts& into, const AttentionParts& from,
                     const Parallel& parallel = {});

// A logit of each head that belongs to no key joins the softmax (AttentionOptions::sinks), where a
// query saw a key: as merging out 0 and lse sinks[h].
void merge_sinks(const AttentionParts& into, std::span<const float> sinks);

}  // namespace ropewalk
