#pragma once

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::cli {

// Prints how the encodings of two models differ: what the files say, the frequencies, where the
// pairs are, and the cosine between the rotations at a few positions,
//   trace(A^T B) / sqrt(trace(A^T A) trace(B^T B)),  A and B the matrices that turn a head.
// Returns whether anything differs.
bool compare_models(const ModelEncoding& a, const ModelEncoding& b, int64_t layer, int64_t seq_len);

}  // namespace ropewalk::cli
