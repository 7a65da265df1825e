#include "ropewalk/tables/float_angles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

float through_bf16(float value) { return float_from_bf16(bf16_from_float(value)); }
float through_f16(float value) { return float_from_f16(f16_from_float(value)); }

// Eleven significant bits, halves away from zero (cvt.rna.tf32.f32 of PTX).
float through_tf32(float value) {
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000) & ~uint32_t{0x1FFF});
}

float product(AngleMode mode, float p, float w) {
  switch (mode) {
    case AngleMode::bf16_frequency:
      return p * through_bf16(w);
    case AngleMode::bf16_position:
      return through_bf16(through_bf16(p) * through_bf16(w));
    case AngleMode::fp16:
      return through_f16(through_f16(p) * through_f16(w));
    case AngleMode::tf32:
      return through_tf32(p) * through_tf32(w);
    default:
      return p * w;
  }
}

}  // namespace

FloatAngles prepare_angles(const RopeConfig& config, AngleMode mode, int64_t seq_len) {
  if (mode == AngleMode::exact || mode == AngleMode::ideal) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the angles of mode {} have no float32 form", name(mode)));
  }
  const Spectrum spectrum = make_spectrum(config, seq_len);
  if (config.inv_freq_dtype == DType::f64) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("angle mode {}: expected frequencies in f32 or f16, found f64", name(mode)));
  }
  if (mode == AngleMode::ggml_float32 && axis_count(spectrum) != 1) {
    throw Error(ErrorCode::unsupported,
                fmt::format("angle mode {}: expected 1 position axis, found {}", name(mode),
                            axis_count(spectrum)));
  }
  FloatAngles result{.mode = mode,
                     .inv_freq = {spectrum.inv_freq.begin(), spectrum.inv_freq.end()},
                     .axis = spectrum.axis,
                     .amplitude = static_cast<float>(spectrum.attention_scaling),
                     .ggml = {},
                     .reversed = config.reversed};
  if (mode == AngleMode::ggml_float32) result.ggml = ggml_rope(config, seq_len);
  return result;
}

void write_angles(const FloatAngles& source, const int64_t* positions, std::span<float> angles) {
  if (source.mode == AngleMode::ggml_float32) {
    const auto p = static_cast<float>(positions[0]);
    ggml_angles(source.ggml, source.reversed ? -p : p, angles);
    return;
  }
  for (size_t i = 0; i < angles.size(); ++i) {
    const auto p = static_cast<float>(positions[source.axis[i]]);
    angles[i] = product(source.mode, p, source.inv_freq[i]);
  }
}

// Each angle is made a frequency, and the position is one; 2^32 where the angles are too large for
// a frequency.
void write_cos_sin(std::span<const float> angles, float amplitude, float* cos, float* sin) {
  std::vector<double> frequencies(angles.begin(), angles.end());
  const bool large = std::ranges::any_of(
      angles, [](float angle) { return std::isfinite(angle) && std::fabs(angle) > 0x1p31f; });
  for (double& frequency : frequencies) {
    if (!std::isfinite(frequency)) frequency = 0;
    if (large) frequency *= 0x1p-32;
  }
  const Spectrum spectrum = spectrum_from_inv_freq(frequencies);
  const int64_t position = large ? int64_t{1} << 32 : 1;
  cos_sin_row(row_source(spectrum, 1, false), &position, cos, sin);
  for (size_t i = 0; i < angles.size(); ++i) {
    const bool finite = std::isfinite(angles[i]);
    cos[i] = finite ? cos[i] * amplitude : std::numeric_limits<float>::quiet_NaN();
    sin[i] = finite ? sin[i] * amplitude : std::numeric_limits<float>::quiet_NaN();
  }
}

}  // namespace ropewalk
