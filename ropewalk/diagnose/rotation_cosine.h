#pragma once

#include <cstdint>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// A rotation and its frequencies.
struct Rotation {
  const RopeConfig& rope;
  const Spectrum& spectrum;
};

// How alike two rotations of a head are at one position, the same on every axis:
//   trace(A^T B) / sqrt(trace(A^T A) trace(B^T B)),  A and B the matrices that turn the head.
// 1 for the same rotation. Worked number: heads of two channels, frequencies 1 and 2, position 1:
// cos(1) = 0.540302. Throws invalid_argument for heads of different widths.
double rotation_cosine(const Rotation& a, const Rotation& b, int64_t position);

}  // namespace ropewalk
