#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ropewalk/base/tensor_view.h"
#include "ropewalk/diagnose/diagnose_dumps.h"

namespace ropewalk {

// How the channels of a sinusoidal vector lie and what their frequencies are:
//   sin(p f_i), cos(p f_i) with f_i = base^(-i / (d/2))  or, spaced as fairseq does,
//   base^(-i / (d/2 - 1)), i = 0 .. d/2 - 1, of p = position + offset
struct SinusoidalForm {
  enum class Order { sin_cos_pairs, cos_sin_pairs, sin_cos_halves, cos_sin_halves };
  Order order = Order::sin_cos_pairs;
  bool half_minus_one = false;
  double base = 10000, scale = 1;
  int64_t offset = 0;
  bool minus_sin = false;  // the sines have the other sign

  bool operator==(const SinusoidalForm&) const = default;
};

// "sin, cos in turn", ...
std::string_view name(SinusoidalForm::Order order);
SinusoidalForm form_of(const SinusoidalConfig& config);
// Of each pair, radians per position.
std::vector<double> frequencies(const SinusoidalForm& form, size_t pairs);

struct FirstWrongChannel {
  int64_t row = 0, position = 0, channel = 0;
  double expected = 0, found = 0;
};

struct SinusoidalDiagnosis {
  DumpDiagnosis::Verdict verdict = DumpDiagnosis::Verdict::consistent;
  std::vector<Cause> causes;  // of a fault: each a part of the form that is not as expected
  SinusoidalForm found;       // unless unexplained
  double residual = 0;        // beside what was expected, in ULP of 1: root mean square
  double left = 0;            // beside what was found
  DType dtype = DType::f32;
  int64_t rows = 0, wrong_rows = 0;
  std::optional<FirstWrongChannel> first_wrong;
};

// Compares vectors [rows, d_model], or [1, rows, d_model], of f32, bf16 or f16 with the sinusoidal
// encoding of `positions`, one for each row, and finds order, spacing, base, offset, sign and scale
// where they are others: frequencies follow from neighbouring rows, base and offset from them. A
// row of the padding token may be zero. All rows are compared and 64 searched. Throws
// invalid_argument for other shapes, an odd d_model, and numbers that are not finite.
SinusoidalDiagnosis diagnose_sinusoidal(const ConstTensorView& vectors,
                                        const std::vector<int64_t>& positions,
                                        const SinusoidalConfig& expected);

}  // namespace ropewalk
