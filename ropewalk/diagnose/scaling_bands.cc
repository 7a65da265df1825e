#include "ropewalk/diagnose/scaling_bands.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ropewalk/spectrum/scaling_traits.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

constexpr double kSame = 1e-6;  // relative: what float32 arithmetic may leave

std::vector<Band> bands_of(const Spectrum& scaled, const Spectrum& plain) {
  std::vector<double> ratios;
  for (size_t i = 0; i < scaled.inv_freq.size(); ++i) {
    ratios.push_back(scaled.inv_freq[i] / plain.inv_freq[i]);
  }
  std::vector<Band> bands;
  if (ratios.empty()) return bands;
  const double least = *std::min_element(ratios.begin(), ratios.end());
  for (const double ratio : ratios) {
    const bool kept = std::abs(ratio - 1) < kSame;
    const bool slowed = std::abs(ratio - least) < kSame * least;
    bands.push_back(kept ? Band::kept : slowed ? Band::slowed : Band::between);
  }
  return bands;
}

std::vector<double> wavelengths_of(const Spectrum& spectrum) {
  std::vector<double> lengths;
  for (const double inv_freq : spectrum.inv_freq) lengths.push_back(wavelength(inv_freq));
  return lengths;
}

}  // namespace

std::string_view name(Band band) {
  switch (band) {
    case Band::kept:
      return "kept";
    case Band::between:
      return "between";
    case Band::slowed:
      return "slowed";
  }
  return "";
}

RopeConfig without_scaling(RopeConfig rope) {
  rope.rope_type = "default";
  rope.parameters.clear();
  rope.lists.clear();
  return rope;
}

ScalingBands scaling_bands(const RopeConfig& rope, int64_t seq_len, int64_t context) {
  const Spectrum scaled = make_spectrum(rope, seq_len);
  ScalingBands result{.attention_scaling = scaled.attention_scaling,
                      .softmax_factor = softmax_factor(rope)};
  if (is_scaled(rope.rope_type)) {
    result.bands = bands_of(scaled, make_spectrum(without_scaling(rope)));
  }
  for (size_t i = 0; i < scaled.inv_freq.size(); ++i) {
    if (wavelength(scaled.inv_freq[i]) > static_cast<double>(context) && context > 0) {
      result.slow_pairs.push_back(i);
    }
  }
  return result;
}

double wavelength(double inv_freq) { return 2 * std::numbers::pi / std::abs(inv_freq); }

Wavelengths wavelengths(const RopeConfig& rope, int64_t seq_len) {
  Wavelengths result{wavelengths_of(make_spectrum(rope, seq_len)), {}};
  if (is_scaled(rope.rope_type)) {
    result.plain = wavelengths_of(make_spectrum(without_scaling(rope)));
  }
  return result;
}

SpectraByLength spectra_by_length(const RopeConfig& rope, int64_t seq_len, int64_t max_positions) {
  SpectraByLength found{.spectrum = make_spectrum(rope, seq_len),
                        .context = std::max(seq_len, max_positions)};
  const auto differs = [&](int64_t length) {
    return make_spectrum(rope, length).inv_freq != found.spectrum.inv_freq;
  };
  if (seq_len == 0 && found.context > 0 && differs(found.context)) {
    found.in_context = make_spectrum(rope, found.context);
  }
  found.ignores_length =
      seq_len > 0 && is_scaled(rope.rope_type) && !differs(0) && !differs(4 * found.context);
  return found;
}

}  // namespace ropewalk
