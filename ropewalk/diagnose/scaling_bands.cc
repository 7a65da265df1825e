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

// No scaling has anything left to change in sequences of this length.
constexpr int64_t kFar = int64_t{1} << 40;

bool depends_on_length(const RopeConfig& rope) {
  return make_spectrum(rope) != make_spectrum(rope, kFar);
}

// The longest sequence whose spectrum is that of a short one; longer ones have others.
int64_t longest_like(const RopeConfig& rope, const Spectrum& of_short) {
  int64_t like = 0, unlike = kFar;
  while (unlike - like > 1) {
    const int64_t middle = like + (unlike - like) / 2;
    (make_spectrum(rope, middle) == of_short ? like : unlike) = middle;
  }
  return like;
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

std::optional<int64_t> stretched_context(const RopeConfig& rope, int64_t unscaled) {
  const ScalingTraits& traits = scaling_traits(rope.rope_type);
  const auto factor = rope.parameters.find("factor");
  if (!(traits.factor_is_growth || traits.one_factor) || factor == rope.parameters.end()) {
    return std::nullopt;
  }
  const auto original = rope.parameters.find("original_max_position_embeddings");
  const double length =
      original != rope.parameters.end() ? original->second : static_cast<double>(unscaled);
  const double stretched = length * factor->second;
  if (!(stretched >= 1 && stretched <= 0x1p53)) return std::nullopt;
  return static_cast<int64_t>(stretched);
}

SpectraByLength spectra_by_length(const RopeConfig& rope, int64_t seq_len, int64_t max_positions) {
  SpectraByLength found{.spectrum = make_spectrum(rope, seq_len),
                        .context = std::max(seq_len, max_positions)};
  if (!depends_on_length(rope)) {
    found.ignores_length = seq_len > 0;
    return found;
  }
  if (seq_len > 0) {
    found.context = seq_len;  // a longer one has other frequencies
    return found;
  }
  found.holds_until = longest_like(rope, found.spectrum);
  if (found.context > *found.holds_until) found.in_context = make_spectrum(rope, found.context);
  return found;
}

}  // namespace ropewalk
