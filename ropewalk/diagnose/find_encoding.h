#pragma once

#include <string>
#include <vector>

#include "ropewalk/diagnose/diagnose_dumps.h"

namespace ropewalk {

// A rotation that would have made a dump of which no model is known.
struct FoundEncoding {
  Turning turning;  // its places, base and scaling
  // How it differs from the plain rotation of these places, rope_theta 10000: "base", "scaling",
  // "positions", ...
  std::vector<Cause> causes;
  double residual = 0;              // in ULP of the dump: root mean square
  std::vector<std::string> models;  // presets that turn so in some layer
};

struct FoundEncodings {
  std::vector<FoundEncoding> found;  // at most 3, the likeliest first; none that fits
  // The rows are as they were, or all at position 0: any pairs and any base explain them.
  bool nothing_turned = false;
  DType dtype = DType::f32;
  int64_t tokens = 0;
};

// Finds pairs, window, base, scaling, direction and shift of positions from a dump alone: windows
// at either end of the head, of any width in steps of 8 channels and of the fractions in use;
// presets first. Throws as diagnose_dump.
FoundEncodings find_encoding(const RotationDump& dump);

}  // namespace ropewalk
