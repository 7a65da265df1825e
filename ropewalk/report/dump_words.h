#pragma once

#include <string>

#include "ropewalk/diagnose/find_encoding.h"

namespace ropewalk {

// "the pairs are interleaved, (2i, 2i + 1), not half_split, (i, i + d/2)"; of two causes both.
std::string in_words(const DumpFinding& finding);

// "pairs are as expected, amplitude 1.139; pair 0 turns by 1 rad a position (expected 1), ..."
std::string in_words(const Observed& observed);

// What mends it, a line for each cause: the key, the argument, or the call.
std::string what_to_change(const DumpFinding& finding);

// "rope, theta 500000, 128 of 128 channels half_split, llama3 (factor 8)", and what else was done.
std::string in_words(const FoundEncoding& found);

// "rope, theta 500000, 128 of 128 channels half_split, llama3"
std::string in_words(const RopeConfig& rope);

// "token 1 (position 1), pair 0: expected 1 rad, found 0.84"
std::string in_words(const FirstWrong& first);

// "angles are float32 products, as in transformers: 0.0078 rad off at position 131071"
std::string in_words(const AnglePrecision& precision);

// 0.31, 5.6e+06: of ULP.
std::string ulp_words(double ulp);

}  // namespace ropewalk
