#include "ropewalk/spectrum/spectrum.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"
#include "ropewalk/spectrum/pair_axes.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/scalings.h"
#include "ropewalk/spectrum/turns.h"

namespace ropewalk {
namespace {

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
  check_mrope_section(config);
  check_layout(config.layout);
  const bool shared = !config.mrope_section.empty();
  const int64_t pairs = config.rotary_dim / 2 * (shared ? 1 : config.position_axes);
  if (pair_count(config.layout) != pairs) {
    fail(fmt::format("the layout has {} pairs, but rotary_dim {} {} {} position axes gives {}",
                     pair_count(config.layout), config.rotary_dim, shared ? "shared by" : "on",
                     config.position_axes, pairs));
  }
}

// What the model's buffer of this type would hold.
double stored(float inv_freq, DType dtype) {
  if (dtype == DType::f16) return float_from_f16(f16_from_float(inv_freq));
  if (dtype == DType::bf16) return float_from_bf16(bf16_from_float(inv_freq));
  if (dtype == DType::f32) return inv_freq;
  throw Error(ErrorCode::unsupported,
              fmt::format("inv_freq_dtype {} is not f32, bf16 or f16", name(dtype)));
}

}  // namespace

Spectrum make_spectrum(const RopeConfig& config, int64_t seq_len) {
  check_config(config);
  if (seq_len < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("seq_len is {}, expected a length or 0", seq_len));
  }
  ScaledFrequencies scaled = find_scaling(config.rope_type).make(config, seq_len);
  const std::vector<float> divisors = parameter_per_pair(config, kFreqFactors);
  for (size_t i = 0; i < divisors.size(); ++i) scaled.inv_freq[i] /= divisors[i];
  Spectrum spectrum;
  spectrum.attention_scaling = scaled.attention_scaling;
  spectrum.softmax_scale = scaled.softmax_scale;
  spectrum.axis = pair_axes(config);
  for (size_t pair = 0; pair < spectrum.axis.size(); ++pair) {
    const double inv_freq =
        stored(scaled.inv_freq[pair % scaled.inv_freq.size()], config.inv_freq_dtype);
    spectrum.inv_freq.push_back(config.reversed && inv_freq != 0 ? -inv_freq : inv_freq);
    append_turns(spectrum.inv_freq.back(), spectrum.turns);
  }
  check_spectrum(spectrum);
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
