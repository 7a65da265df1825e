#pragma once

#include <cstdint>
#include <string>

#include "ropewalk/base/fixed_vector.h"

namespace ropewalk {

// A shape or a list of strides: up to 8 numbers.
constexpr int kMaxRank = 8;
using Dims = FixedVector<int64_t, kMaxRank>;

// "[2, 16, 32, 128]"
std::string to_string(const Dims& dims);

}  // namespace ropewalk
