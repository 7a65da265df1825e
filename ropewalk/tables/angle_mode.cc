#include "ropewalk/tables/angle_mode.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/float_angles.h"
#include "ropewalk/tables/table.h"

namespace ropewalk {
namespace {

// In the order of the enum.
constexpr std::array<std::string_view, 8> kNames = {
    "exact",          "ideal",         "hf_float32", "ggml_float32",
    "bf16_frequency", "bf16_position", "fp16",       "tf32"};

// A table by position has one axis.
FloatAngles angles_by_position(const RopeConfig& config, AngleMode mode, int64_t seq_len) {
  FloatAngles source = prepare_angles(config, mode, seq_len);
  const int32_t axes =
      1 + (source.axis.empty() ? 0 : *std::max_element(source.axis.begin(), source.axis.end()));
  if (axes == 1) return source;
  throw Error(ErrorCode::unsupported,
              fmt::format("angle mode {}: expected 1 position axis, found {}", name(mode), axes));
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
  const FloatAngles source = angles_by_position(config, mode, seq_len);
  const size_t pairs = source.inv_freq.size();
  std::vector<float> angles(positions.size() * pairs);
  for (size_t row = 0; row < positions.size(); ++row) {
    write_angles(source, &positions[row], std::span(angles).subspan(row * pairs, pairs));
  }
  return angles;
}

CosSinTable make_table(const RopeConfig& config, AngleMode mode, int64_t first, int64_t rows,
                       int64_t seq_len) {
  if (mode == AngleMode::exact) return make_table(make_spectrum(config, seq_len), first, rows);
  if (mode == AngleMode::ideal) return make_table(ideal_spectrum(config), first, rows);
  const FloatAngles source = angles_by_position(config, mode, seq_len);
  CosSinTable table = zero_table(first, rows, static_cast<int64_t>(source.inv_freq.size()));
  std::vector<float> angles(source.inv_freq.size());
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = first + row;
    write_angles(source, &position, angles);
    write_cos_sin(angles, source.amplitude, table.cos.data() + row * table.pairs,
                  table.sin.data() + row * table.pairs);
  }
  return table;
}

}  // namespace ropewalk
