#pragma once

#include <string>
#include <vector>

#include "ropewalk/diagnose/compare.h"

namespace ropewalk {

// "500000", "true", "none": numbers that differ as float32 differ here too.
std::string in_words(const FieldValue& value);

// A row for each difference: its level, what it is, the value of either, and the layers that differ
// so, "" where all that both have do. No heading.
std::vector<std::vector<std::string>> difference_rows(const Comparison& comparison);

// A row for each position: the position, the cosine, and where the rotation has it that with the
// pairs of the first. The first row is a heading.
std::vector<std::vector<std::string>> cosine_rows(const RotationDifference& rotation);

}  // namespace ropewalk
