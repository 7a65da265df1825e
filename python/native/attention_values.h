#pragma once

#include <cstdint>
#include <vector>

#include "python/native/arrays.h"

// Keywords that are no arrays, or short ones that are copied. All throw invalid_argument naming
// `what`.
namespace ropewalk::python {

// True, False, numpy.bool_, or 0 and 1: ONNX's attributes are integers.
bool flag_of(nb::handle flag, const char* what);

struct Floats {
  Dims shape;
  std::vector<float> values;  // row-major
};

// A list of numbers, or an array of floats, of `rank` dimensions and not empty. `expected` says it
// in words: "one number for each head".
Floats floats_of(nb::handle object, const char* what, int rank, const char* expected);

// Integers [N], of a list or an array of int64 or int32.
std::vector<int64_t> integers_of(nb::handle object, const char* what);

}  // namespace ropewalk::python
