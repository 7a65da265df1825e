#include "ropewalk/spectrum/spectrum.h"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"
#include "ropewalk/spectrum/pair_axes.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/scalings.h"
#include "ropewalk/spectrum/turns.h"

namespace ropewalk {
namespace {

void check_dtype(const RopeConfig& config) {
  const DType dtype = config.inv_freq_dtype;
  if (dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32) return;
  if (dtype != DType::f64) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("inv_freq_dtype: expected f64, f32, bf16 or f16, found {}", name(dtype)));
  }
  if (canonical_rope_type(config.rope_type) == "default" && config.lists.empty()) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format(
          "inv_freq_dtype f64: expected rope_type default and no freq_factors, as no model has "
          "a scaling in float64, found rope_type \"{}\"{}",
          escaped(config.rope_type),
          config.lists.empty() ? "" : " with " + config.lists.begin()->first));
}

void check_config(const RopeConfig& config) {
  const auto fail = [](const std::string& why) { throw Error(ErrorCode::invalid_argument, why); };
  // The model's code keeps it in float32, where a larger one would be infinite and stop every pair.
  if (!(config.rope_theta > 0 && config.rope_theta <= std::numeric_limits<float>::max())) {
    fail(fmt::format("rope_theta: expected a positive number that float32 holds, found {}",
                     config.rope_theta));
  }
  if (config.rotary_dim < 2 || config.rotary_dim % 2 != 0 || config.rotary_dim > 65536) {
    fail(fmt::format("rotary_dim: expected an even number in 2..65536, found {}",
                     config.rotary_dim));
  }
  if (config.position_axes < 1 || config.position_axes > 16) {
    fail(fmt::format("position_axes: expected 1..16, found {}", config.position_axes));
  }
  check_dtype(config);
  check_axes(config);
  check_layout(config.layout);
  const bool shared = !config.mrope_section.empty() || !config.axis_dims.empty();
  const int64_t pairs = config.rotary_dim / 2 * (shared ? 1 : config.position_axes);
  if (pair_count(config.layout) != pairs) {
    fail(fmt::format("layout: expected {} pairs, of rotary_dim {} {} {} position axes, found {}",
                     pairs, config.rotary_dim, shared ? "shared by" : "on", config.position_axes,
                     pair_count(config.layout)));
  }
}

// What the model's buffer of this type would hold.
double stored(float inv_freq, DType dtype) {
  if (dtype == DType::f16) return float_from_f16(f16_from_float(inv_freq));
  if (dtype == DType::bf16) return float_from_bf16(bf16_from_float(inv_freq));
  return inv_freq;
}

// The same frequencies without a rounding to float32: FLUX, Wan.
std::vector<double> float64_frequencies(const RopeConfig& config) {
  std::vector<double> inv_freq;
  const std::vector<int64_t> whole = {config.rotary_dim};
  for (int64_t dim : config.axis_dims.empty() ? whole : config.axis_dims) {
    for (int64_t i = 0; i < dim / 2; ++i) {
      const double exponent = static_cast<double>(2 * i) / static_cast<double>(dim);
      inv_freq.push_back(1 / std::pow(config.rope_theta, exponent));
    }
  }
  return inv_freq;
}

// Of every axis that has its own, one after the other.
ScaledFrequencies scaled_frequencies(const RopeConfig& config, int64_t seq_len) {
  const Scaling& scaling = find_scaling(config.rope_type);
  if (config.axis_dims.empty()) return scaling.make(config, seq_len);
  ScaledFrequencies all;
  for (int64_t dim : config.axis_dims) {
    RopeConfig axis = config;
    axis.rotary_dim = dim;
    const std::vector<float> earlier = std::move(all.inv_freq);
    all = scaling.make(axis, seq_len);
    all.inv_freq.insert(all.inv_freq.begin(), earlier.begin(), earlier.end());
  }
  return all;
}

}  // namespace

Spectrum make_spectrum(const RopeConfig& config, int64_t seq_len) {
  check_config(config);
  if (seq_len < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("seq_len: expected a length or 0, found {}", seq_len));
  }
  ScaledFrequencies scaled = scaled_frequencies(config, seq_len);
  const std::vector<double> wide =
      config.inv_freq_dtype == DType::f64 ? float64_frequencies(config) : std::vector<double>{};
  const std::vector<float> divisors = parameter_per_pair(config, kFreqFactors);
  for (size_t i = 0; i < divisors.size(); ++i) scaled.inv_freq[i] /= divisors[i];
  Spectrum spectrum;
  spectrum.attention_scaling = scaled.attention_scaling;
  for (const PairSource& source : pair_sources(config)) {
    const auto i = static_cast<size_t>(source.frequency);
    const double inv_freq =
        wide.empty() ? stored(scaled.inv_freq[i], config.inv_freq_dtype) : wide[i];
    spectrum.axis.push_back(source.axis);
    spectrum.inv_freq.push_back(config.reversed && inv_freq != 0 ? -inv_freq : inv_freq);
    append_turns(spectrum.inv_freq.back(), spectrum.turns);
  }
  check_spectrum(spectrum);
  return spectrum;
}

double softmax_factor(const RopeConfig& config) {
  const Scaling& scaling = find_scaling(config.rope_type);
  return scaling.softmax_factor == nullptr ? 1 : scaling.softmax_factor(config);
}

Spectrum spectrum_from_inv_freq(std::span<const double> inv_freq) {
  Spectrum spectrum;
  spectrum.inv_freq.assign(inv_freq.begin(), inv_freq.end());
  spectrum.axis.assign(inv_freq.size(), 0);
  for (double frequency : inv_freq) append_turns(frequency, spectrum.turns);
  return spectrum;
}

}  // namespace ropewalk
