#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/diagnose/dumps/hypothesis.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/position_ids.h"

namespace ropewalk {

// q (or k) of a layer before and after it was rotated, as a program dumped it.
struct RotationDump {
  ConstTensorView before, after;  // one shape; f32, bf16 or f16
  TensorLayout layout = TensorLayout::bshd;
  PositionIds positions;
  // A type that the numbers were rounded to, where they do not show it any more.
  DType rounded_to = DType::f32;
  bool exact_before = false;  // the numbers of `before` were never rounded
  double uncertainty = 0;     // of `before`, relative, beside its type
};

// What should have turned it.
struct ExpectedRotation {
  RopeConfig rope;
  int64_t seq_len = 0;                   // that the scaling takes; 0: 1 + the largest position
  bool rotates = true;                   // false: of a layer that should pass q as it is
  const ModelEncoding* model = nullptr;  // whose layer it is, for faults that need to know
  int most_faults = 2;                   // at once that are looked for: 0, 1 or 2
};

// A fault, or two at once, that would have made the dump.
struct DumpFinding {
  std::vector<Cause> causes;
  double residual = 0;  // what it leaves, in ULP of the dump: root mean square
  Turning turning;
  bool of_wrong_tokens = false;  // it explains the tokens that are wrong, and not those before
};

// Where the dump is first not as it should be.
struct FirstWrong {
  int64_t batch = 0, token = 0;
  std::vector<int64_t> positions;              // of each axis
  int64_t pair = 0;                            // -1: a channel that should not turn
  double expected_angle = 0, found_angle = 0;  // radians in -pi .. pi
  double expected_amplitude = 1, found_amplitude = 1;
  bool from_zero = false;  // 0 before, where every rotation keeps it 0, and not 0 after
};

// What float32 angles did, where it is worth a word.
struct AnglePrecision {
  AngleMode mode = AngleMode::hf_float32;
  double largest = 0;    // radians that an angle is off
  int64_t position = 0;  // there

  bool operator==(const AnglePrecision&) const = default;
};

// What the pairs did, where no fault that is known makes it.
struct Observed {
  std::vector<Cause> places;  // how the pairs lie otherwise than expected; none: as expected
  double amplitude = 1;
  struct Pair {
    int64_t pair = 0;
    double inv_freq = 0, error = 0, expected = 0;  // radians per position
  };
  std::vector<Pair> pairs;  // of those whose speed is known the first, the middle and the last
};

struct DumpDiagnosis {
  enum class Verdict {
    consistent,   // as it should be, within the roundings of the type
    fault,        // explained by each of `findings`
    unexplained,  // not as it should be, and no hypothesis holds
  };
  Verdict verdict = Verdict::consistent;
  std::vector<DumpFinding> findings;  // at most 3, the likeliest first
  double residual = 0;                // what the expected rotation leaves, in ULP: root mean square
  DType dtype = DType::f32;           // whose ULP: f32 that holds only bf16 numbers is bf16
  int64_t tokens = 0, wrong_tokens = 0;
  std::optional<FirstWrong> first_wrong;
  std::optional<Observed> observed;  // of an unexplained dump whose pairs can be told
  std::optional<AnglePrecision> precision;
  double largest_angle = 0;  // that any pair should have turned: near 0, nothing can be told
  // The scaling of the model could be missing as well: the least power of two as a position at
  // which that would show in this type.
  std::optional<int64_t> scaling_shows_at;
  // Whether the first two findings differ at any position, and the least power of two past those of
  // the dump at which they do, by more than the roundings.
  bool findings_differ = false;
  std::optional<int64_t> telling_position;
};

// 0 for a dump that is consistent, how many faults at once the first finding takes, else 3: more
// than any finding.
size_t fault_count(const DumpDiagnosis& diagnosis);

// Compares the dump with the rotation that was expected and looks for the fault. All tokens are
// compared, some of them (4096 rows at most) searched. Memory: beside the dumps themselves, under
// 100 MB. Throws invalid_argument for shapes or types that do not fit, numbers that are not finite,
// and as make_spectrum.
DumpDiagnosis diagnose_dump(const RotationDump& dump, const ExpectedRotation& expected);

}  // namespace ropewalk
