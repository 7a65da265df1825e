#include "ropewalk/tables/angle_mode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/spectrum/ggml_rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/table.h"

namespace ropewalk {
namespace {

// In the order of the enum.
constexpr std::array<std::string_view, 8> kNames = {
    "exact",          "ideal",         "hf_float32", "ggml_float32",
    "bf16_frequency", "bf16_position", "fp16",       "tf32"};

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

// What a config's angles are made of in one of the float32 modes.
struct FloatAngles {
  AngleMode mode;
  std::vector<float> inv_freq;  // [pairs], negative where the config is reversed
  float amplitude;
  GgmlRope ggml;
  bool reversed;
};

FloatAngles prepare(const RopeConfig& config, AngleMode mode, int64_t seq_len) {
  if (mode == AngleMode::exact || mode == AngleMode::ideal) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the angles of mode {} have no float32 form", name(mode)));
  }
  const Spectrum spectrum = make_spectrum(config, seq_len);
  if (axis_count(spectrum) != 1) {
    throw Error(ErrorCode::unsupported,
                fmt::format("angle mode {}: expected 1 position axis, found {}", name(mode),
                            axis_count(spectrum)));
  }
  FloatAngles result{.mode = mode,
                     .inv_freq = {spectrum.inv_freq.begin(), spectrum.inv_freq.end()},
                     .amplitude = static_cast<float>(spectrum.attention_scaling),
                     .ggml = {},
                     .reversed = config.reversed};
  if (mode == AngleMode::ggml_float32) result.ggml = ggml_rope(config, seq_len);
  return result;
}

void write_angles(const FloatAngles& source, int64_t position, std::span<float> angles) {
  const auto p = static_cast<float>(position);
  if (source.mode == AngleMode::ggml_float32) {
    ggml_angles(source.ggml, source.reversed ? -p : p, angles);
    return;
  }
  for (size_t i = 0; i < angles.size(); ++i) {
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

CosSinTable zero_table(int64_t first, int64_t rows, int64_t pairs) {
  if (rows < 0 || !checked_add(first, std::max<int64_t>(rows - 1, 0))) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("table: {} rows from position {}", rows, first));
  }
  if (rows > (int64_t{1} << 37) / pairs) {
    throw Error(
        ErrorCode::resource_limit,
        fmt::format("table: {} rows of {} pairs would take more than 2^40 bytes", rows, pairs));
  }
  CosSinTable table{rows, pairs, {}, {}, first};
  table.cos.resize(static_cast<size_t>(rows * pairs));
  table.sin.resize(static_cast<size_t>(rows * pairs));
  return table;
}

}  // namespace

std::string_view name(AngleMode mode) { return kNames[static_cast<size_t>(mode)]; }

AngleMode angle_mode_from_name(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (text == kNames[i]) return static_cast<AngleMode>(i);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("expected one of the angle modes {}, found \"{}\"",
                          fmt::join(kNames, ", "), escaped(text)));
}

std::vector<float> float_angles(const RopeConfig& config, AngleMode mode,
                                std::span<const int64_t> positions, int64_t seq_len) {
  const FloatAngles source = prepare(config, mode, seq_len);
  const size_t pairs = source.inv_freq.size();
  std::vector<float> angles(positions.size() * pairs);
  for (size_t row = 0; row < positions.size(); ++row) {
    write_angles(source, positions[row], std::span(angles).subspan(row * pairs, pairs));
  }
  return angles;
}

CosSinTable make_table(const RopeConfig& config, AngleMode mode, int64_t first, int64_t rows,
                       int64_t seq_len) {
  if (mode == AngleMode::exact) return make_table(make_spectrum(config, seq_len), first, rows);
  if (mode == AngleMode::ideal) return make_table(ideal_spectrum(config), first, rows);
  const FloatAngles source = prepare(config, mode, seq_len);
  CosSinTable table = zero_table(first, rows, static_cast<int64_t>(source.inv_freq.size()));
  std::vector<float> angles(source.inv_freq.size());
  for (int64_t row = 0; row < rows; ++row) {
    write_angles(source, first + row, angles);
    write_cos_sin(angles, source.amplitude, table.cos.data() + row * table.pairs,
                  table.sin.data() + row * table.pairs);
  }
  return table;
}

}  // namespace ropewalk
