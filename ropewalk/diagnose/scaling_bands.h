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
  // The longer of seq_len and max_positions; a seq_len that is given alone, where others have other
  // frequencies. 0: not known.
  int64_t context = 0;
  // Of a sequence as long as the context, where these are others and no seq_len is given: longrope,
  // dynamic.
  std::optional<Spectrum> in_context = {};
  // The longest sequence with these frequencies, where longer ones have others and no seq_len is
  // given: 4096 of Phi-3-mini-128k. Nothing where no length changes them.
  std::optional<int64_t> holds_until = {};
  bool ignores_length = false;  // a seq_len is given, and no length changes anything
};

// Positions that a scaling stretches the model's context to, rounded down: factor times
// original_max_position_embeddings, or times `unscaled`, the context without the scaling, where it
// has no such key (linear). Nothing for a rope_type whose factor says no such growth (llama3,
// dynamic, ntk), and where the length is not known (0). Worked number: yarn with factor 4 and
// original 32768 gives 131072.
std::optional<int64_t> stretched_context(const RopeConfig& rope, int64_t unscaled);

SpectraByLength spectra_by_length(const RopeConfig& rope, int64_t seq_len, int64_t max_positions);

}  // namespace ropewalk
