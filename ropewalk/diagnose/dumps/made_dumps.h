#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/diagnose/diagnose_dumps.h"
#include "ropewalk/tables/cos_sin.h"

namespace ropewalk {

// A dump that was made of something else, with what it is to be compared with.
struct MadeDump {
  Tensor before, after;
  ExpectedRotation expected;
  std::vector<int64_t> positions = {};  // where they are not the caller's
  RowForm form = RowForm::half;         // of a table: how it was read
  bool complex = false;                 // of a table: as complex numbers
  double uncertainty = 0;               // of `before`, relative
  DType rounded_to = DType::f32;        // the type of the numbers that it was made of
};

// `reference` is q after a rotation that is right: `before` is what it was before, the inverse
// rotation of it in float32. Throws as rotate.
MadeDump undone(const ConstTensorView& reference, TensorLayout layout, const PositionIds& positions,
                const ExpectedRotation& expected);

// Rows of cos and sin, [S, C], [B, S, C] or with an axis of 1 for heads before or after S, are the
// turned pairs (1, 0). C is the count of pairs, or twice it: in halves that are alike, or in
// neighbours that are. Throws invalid_argument for other shapes.
MadeDump dump_of_table(const ConstTensorView& cos, const ConstTensorView& sin,
                       const ExpectedRotation& expected);

// The same where no model is known: as many pairs as the rows show, and nothing is expected.
MadeDump dump_of_table(const ConstTensorView& cos, const ConstTensorView& sin);

// The real and the imaginary parts of complex numbers, [..., 2]: cos and sin of freqs_cis. Throws
// invalid_argument for another last dimension.
struct ComplexParts {
  Tensor cos, sin;
};
ComplexParts parts_of_complex(const ConstTensorView& numbers);

// A list of frequencies, [P], is what it makes of chosen positions up to 2^17. Throws
// invalid_argument for another count than the pairs that were expected.
MadeDump dump_of_frequencies(const ConstTensorView& inv_freq, const ExpectedRotation& expected);

// The same where no model is known.
MadeDump dump_of_frequencies(const ConstTensorView& inv_freq);

// Of a dump of the channels that turn alone, as of latent attention: their window is the head.
// Unchanged where no window has that width.
RopeConfig of_width(RopeConfig rope, int64_t width);

}  // namespace ropewalk
