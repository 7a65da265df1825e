#include <algorithm>
#include <cmath>

#include "ropewalk/base/half.h"
#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

float through(float value, DType dtype) {
  return dtype == DType::bf16 ? float_from_bf16(bf16_from_float(value))
                              : float_from_f16(f16_from_float(value));
}

// FP8 of 4 bits of exponent (bias 7) and 3 of mantissa, to nearest even.
double through_e4m3(double value) {
  constexpr int kLeastExponent = -6, kMantissaBits = 3;
  const int exponent = value == 0 ? kLeastExponent : std::max(std::ilogb(value), kLeastExponent);
  const double step = std::ldexp(1.0, exponent - kMantissaBits);
  return std::nearbyint(value / step) * step;
}

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (from.times == 0 || from.mode != AngleMode::exact || from.table_dtype != DType::f64) return;
  if (from.rope.inv_freq_dtype == DType::f64) return;
  for (const DType dtype : {DType::bf16, DType::f16}) {
    Turning turning = from;
    turning.inv_freq = Multipliers(from, evidence.positions(), evidence.spectra()).inv_freq();
    for (double& inv_freq : turning.inv_freq) {
      inv_freq = through(static_cast<float>(inv_freq), dtype);
    }
    out.push_back(
        {turning, {"angle_precision", dtype == DType::bf16 ? "bf16_inv_freq" : "f16_inv_freq"}});
  }
  Turning in_fp8 = from;
  in_fp8.inv_freq = Multipliers(from, evidence.positions(), evidence.spectra()).inv_freq();
  for (double& inv_freq : in_fp8.inv_freq) inv_freq = through_e4m3(inv_freq);
  out.push_back({in_fp8, {"angle_precision", "e4m3_inv_freq"}});
  constexpr std::pair<AngleMode, std::string_view> kModes[] = {
      {AngleMode::bf16_position, "bf16_angle"},
      {AngleMode::fp16, "f16_angle"},
      {AngleMode::tf32, "tf32"}};
  for (const auto& [mode, variant] : kModes) {
    Turning turning = from;
    turning.mode = mode;
    out.push_back({turning, {"angle_precision", variant}});
  }
  for (const DType dtype : {DType::bf16, DType::f16}) {
    Turning turning = from;
    turning.table_dtype = dtype;
    out.push_back(
        {turning, {"angle_precision", dtype == DType::bf16 ? "bf16_table" : "f16_table"}});
  }
}

}  // namespace

// Frequencies, angles, or cos and sin in a type of 16 bits, frequencies in FP8, or a TF32 product.
constinit const Hypothesis hypothesis::angle_precision{.propose = propose};

}  // namespace ropewalk
