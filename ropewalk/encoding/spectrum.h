#pragma once

#include <cstdint>
#include <vector>

namespace ropewalk {

// Frequencies as fractions of a full turn per position: (hi 2^128 + mid 2^64 + lo) / 2^192, whole
// turns dropped. Multiplied by an integer position modulo 2^192 they give the phase exactly.
struct Turns {
  std::vector<uint64_t> hi, mid, lo;  // [P] each

  bool operator==(const Turns&) const = default;
};

// How fast each pair turns, and on which axis of the position. Made by make_spectrum from a
// RopeConfig, or by spectrum_from_inv_freq from any list of frequencies.
struct Spectrum {
  std::vector<double> inv_freq;  // [P] radians per position, as the model has it
  Turns turns;                   // [P] the same as a fraction of a turn: what is computed with
  std::vector<int32_t> axis;     // [P] row of the position ids that drives the pair; 0 for 1-D
  double attention_scaling = 1;  // multiplies cos and sin (YaRN, LongRoPE)

  bool operator==(const Spectrum&) const = default;
};

// Number of axes that the spectrum's pairs refer to: 1 + the largest axis.
int32_t axis_count(const Spectrum& spectrum);

// Throws invalid_argument unless inv_freq, turns and axis have one length, each frequency is finite
// and each axis is in 0..15.
void check_spectrum(const Spectrum& spectrum);

}  // namespace ropewalk
