#pragma once

#include <vector>

#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// The slope of each head, any number of heads H:
//   n = the largest power of two <= H; heads 1..n: 2^(-max_bias h / n);
//   the rest: 2^(-max_bias (2j - 1) / (2n)), j = 1 .. H - n
// Worked number: H = 8 gives 0.5, 0.25, ..., 0.00390625. For 12: those eight, then 0.70710678,
// 0.35355339, ... Throws invalid_argument unless 1 <= heads <= 2^20 and max_bias is positive and
// finite. Source: get_slopes of the authors' code (fairseq_alibi); Baichuan-13B _get_interleave.
std::vector<float> alibi_slopes(const AlibiConfig& config);

}  // namespace ropewalk
