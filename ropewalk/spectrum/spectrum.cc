#include "ropewalk/spectrum/spectrum.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"
#include "ropewalk/spectrum/scalings.h"
#include "ropewalk/spectrum/turns.h"

namespace ropewalk {
namespace {

struct Scaling {
  std::string_view name;
  Spectrum (*make)(const RopeConfig&, int64_t seq_len);
};

constexpr Scaling kScalings[] = {
#define ROPEWALK_SCALING(name, function) {name, scaling::function},
#include "ropewalk/spectrum/scalings.inc"
#undef ROPEWALK_SCALING
};

const Scaling& find_scaling(std::string_view type) {
  std::string known;
  for (const Scaling& scaling : kScalings) {
    if (scaling.name == type) return scaling;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", scaling.name);
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("rope_type \"{}\" is not supported, expected one of: {}", escaped(type), known));
}

void check_config(const RopeConfig& config) {
  const auto fail = [](const std::string& why) { throw Error(ErrorCode::invalid_argument, why); };
  // The model's code keeps it in float32, where a larger one would be infinite and stop every pair.
  if (!(config.rope_theta > 0 && config.rope_theta <= std::numeric_limits<float>::max())) {
    fail(fmt::format("rope_theta is {}, expected a positive number that float32 holds",
                     config.rope_theta));
  }
  if (config.rotary_dim < 2 || config.rotary_dim % 2 != 0 || config.rotary_dim > 65536) {
    fail(fmt::format("rotary_dim is {}, expected an even number in 2..65536", config.rotary_dim));
  }
  if (config.position_axes < 1 || config.position_axes > 16) {
    fail(fmt::format("position_axes is {}, expected 1..16", config.position_axes));
  }
  check_layout(config.layout);
  const int64_t pairs = config.rotary_dim / 2 * config.position_axes;
  if (pair_count(config.layout) != pairs) {
    fail(fmt::format("the layout has {} pairs, but rotary_dim {} on {} position axes gives {}",
                     pair_count(config.layout), config.rotary_dim, config.position_axes, pairs));
  }
}

// What the model's buffer of this type would hold.
double stored(double inv_freq, DType dtype) {
  if (dtype == DType::f16) return float_from_f16(f16_from_float(static_cast<float>(inv_freq)));
  if (dtype == DType::bf16) return float_from_bf16(bf16_from_float(static_cast<float>(inv_freq)));
  if (dtype == DType::f32) return static_cast<float>(inv_freq);
  throw Error(ErrorCode::unsupported,
              fmt::format("inv_freq_dtype {} is not f32, bf16 or f16", name(dtype)));
}

}  // namespace

Spectrum make_spectrum(const RopeConfig& config, int64_t seq_len) {
  check_config(config);
  const Spectrum one_axis = find_scaling(config.rope_type).make(config, seq_len);
  Spectrum spectrum;
  spectrum.attention_scaling = one_axis.attention_scaling;
  spectrum.softmax_scale = one_axis.softmax_scale;
  for (int64_t axis = 0; axis < config.position_axes; ++axis) {
    for (double inv_freq : one_axis.inv_freq) {
      spectrum.inv_freq.push_back(stored(inv_freq, config.inv_freq_dtype));
      spectrum.axis.push_back(static_cast<int32_t>(axis));
      append_turns(spectrum.inv_freq.back(), spectrum.turns);
    }
  }
  return spectrum;
}

Spectrum spectrum_from_inv_freq(std::span<const double> inv_freq) {
  Spectrum spectrum;
  spectrum.inv_freq.assign(inv_freq.begin(), inv_freq.end());
  spectrum.axis.assign(inv_freq.size(), 0);
  for (double frequency : inv_freq) append_turns(frequency, spectrum.turns);
  return spectrum;
}

}  // namespace ropewalk
