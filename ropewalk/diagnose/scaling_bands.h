#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// The same rotation as rope_type default: the same base, no scaling.
RopeConfig without_scaling(RopeConfig rope);

// What a scaling does to the frequency of a pair, beside rope_type default.
enum class Band {
  kept,     // nothing
  between,  // on the ramp
  slowed,   // as much as the slowest pair
};

std::string_view name(Band band);

struct ScalingBands {
  std::vector<Band> bands{};         // one per pair; none for rope_type default
  double attention_scaling = 1;      // of cos and sin
  double softmax_factor = 1;         // of the softmax scale
  std::vector<size_t> slow_pairs{};  // never complete a turn within the context

  bool operator==(const ScalingBands&) const = default;
};

// `context`, in positions; 0: not known. Worked number: yarn of Qwen2.5-7B (base 10^6, factor 4,
// original 32768) keeps pairs 0..23 of 64 and slows 40..63 the most; 36..63 never turn within
// 32768. Throws as make_spectrum.
ScalingBands scaling_bands(const RopeConfig& rope, int64_t seq_len, int64_t context);

// Positions in which a pair turns once, 2 pi / |inv_freq|: infinite for one that stands still.
double wavelength(double inv_freq);

// Of each pair of a rotation, and of the same without its scaling (none for rope_type default).
struct Wavelengths {
  std::vector<double> scaled, plain;
};

Wavelengths wavelengths(const RopeConfig& rope, int64_t seq_len);

// The frequencies of a sequence of `seq_len` (0: a short one), and what the length has to do with
// them.
struct SpectraByLength {
  Spectrum spectrum;
  int64_t context = 0;  // the longer of seq_len and max_positions; 0: not known
  // Of a sequence as long as the context, where these are others and no seq_len is given: longrope,
  // dynamic.
  std::optional<Spectrum> in_context = {};
  bool ignores_length = false;  // a scaling that a given seq_len does not change
};

SpectraByLength spectra_by_length(const RopeConfig& rope, int64_t seq_len, int64_t max_positions);

}  // namespace ropewalk
