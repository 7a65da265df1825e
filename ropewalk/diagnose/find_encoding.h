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
  bool pairs_alone = false;         // of a table: nothing is known of channels
};

struct FoundEncodings {
  std::vector<FoundEncoding> found;  // at most 3, the likeliest first; none that fits
  // The rows are as they were, or all at position 0: any pairs and any base explain them.
  bool nothing_turned = false;
  DType dtype = DType::f32;
  int64_t tokens = 0;
};

// What a dump without a model is of.
enum class FoundIn {
  rows,         // heads
  table,        // pairs alone: which channels they turn is not to be seen
  frequencies,  // pairs without their amplitude
};

// Finds pairs, window, base, scaling, direction and shift of positions from a dump alone: windows
// at either end of the head, of any width in steps of 8 channels and of the fractions in use;
// presets first. Throws as diagnose_dump.
FoundEncodings find_encoding(const RotationDump& dump, FoundIn what = FoundIn::rows);

// A rotation of presets, and how one program's rotation differs from it where another's does not.
struct FoundFault {
  RopeConfig rope;
  std::vector<std::string> models;  // that turn so in some layer
  DumpDiagnosis diagnosis;          // of one fault
};

struct FoundFaults {
  bool alike = false;             // the two dumps are the same: nothing can be told
  bool mine_not_rotated = false;  // `mine` is what `reference` was before: `encoding` says how
  FoundEncodings encoding;
  std::vector<FoundFault> found;  // at most 3, those that leave least first
  double residual = 0;            // between the two, in ULP: root mean square
  DType dtype = DType::f32;
  int64_t tokens = 0;
};

// Two dumps after the rotation, the second taken for right, and no model: looks for the rotation of
// a preset that makes one fault of their difference. What is not rotated at all may be of any
// encoding. Throws as diagnose_dump.
FoundFaults find_fault(const ConstTensorView& mine, const ConstTensorView& reference,
                       TensorLayout layout, const PositionIds& positions);

}  // namespace ropewalk
