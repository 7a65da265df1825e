#include <cmath>

#include "ropewalk/base/half.h"
#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

float through(float value, DType dtype) {
  return dtype == DType::bf16 ? float_from_bf16(bf16_from_float(value))
                              : float_from_f16(f16_from_float(value));
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

// Frequencies, angles, or cos and sin in a type of 16 bits, or a TF32 product.
constinit const Hypothesis hypothesis::angle_precision{.propose = propose};

}  // namespace ropewalk
