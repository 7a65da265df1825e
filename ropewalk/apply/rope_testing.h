#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/oracle.h"

namespace ropewalk::testing {

// A head of which every channel turns, and its frequencies.
inline RotaryLayout whole(int64_t dim, Pairing pairing) { return {dim, {{0, dim, pairing}}}; }

inline Spectrum spectrum_of(int64_t dim, double theta = 1e4) {
  return make_spectrum(
      {.rope_theta = theta, .rotary_dim = dim, .layout = {dim, {{0, dim, Pairing::half_split}}}});
}

// Frequencies for any layout: pair i has 10000^(-i/32).
inline Spectrum spectrum_for(const RotaryLayout& layout) {
  std::vector<double> inv_freq;
  for (int64_t i = 0; i < pair_count(layout); ++i) {
    inv_freq.push_back(static_cast<float>(std::pow(1e4, -static_cast<double>(i) / 32)));
  }
  return spectrum_from_inv_freq(inv_freq);
}

// x [tokens, heads, head_dim] f32 rotated by the definition: MPFR's cos and sin, one rounding per
// operation.
inline std::vector<float> reference(const std::vector<float>& x, int64_t heads,
                                    const Spectrum& spectrum, const RotaryLayout& layout,
                                    const std::vector<int64_t>& positions) {
  std::vector<float> y = x;
  for (size_t token = 0; token < positions.size(); ++token) {
    size_t pair = 0;
    for (const RotaryWindow& window : layout.windows) {
      for (int64_t i = 0; i < window.dim / 2; ++i, ++pair) {
        const bool half = window.pairing == Pairing::half_split;
        const int64_t a = window.offset + (half ? i : 2 * i),
                      b = window.offset + (half ? i + window.dim / 2 : 2 * i + 1);
        const auto row =
            cos_sin(spectrum.inv_freq[pair], positions[token], spectrum.attention_scaling);
        for (int64_t h = 0; h < heads; ++h) {
          const auto at =
              static_cast<size_t>((static_cast<int64_t>(token) * heads + h) * layout.head_dim);
          const float xa = x[at + static_cast<size_t>(a)], xb = x[at + static_cast<size_t>(b)];
          const float ac = xa * row.cos, bs = xb * row.sin, bc = xb * row.cos, as = xa * row.sin;
          y[at + static_cast<size_t>(a)] = ac - bs;
          y[at + static_cast<size_t>(b)] = bc + as;
        }
      }
    }
  }
  return y;
}

inline std::vector<int64_t> run_of(int64_t first, int64_t count) {
  std::vector<int64_t> positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

inline ConstTensorView view_of_ids(const std::vector<int64_t>& ids) {
  return make_view(static_cast<const void*>(ids.data()), DType::i64,
                   {static_cast<int64_t>(ids.size())});
}

struct LayoutCase {
  const char* name;
  RotaryLayout layout;
};

inline const LayoutCase kLayouts[] = {
    {"GPT-J, leading", {80, {{0, 32, Pairing::interleaved}}}},
    {"GPT-NeoX, a quarter", {64, {{0, 16, Pairing::half_split}}}},
    {"DeepSeek MLA, trailing", {96, {{32, 64, Pairing::interleaved}}}},
    {"ChatGLM-6B, two windows",
     {128, {{0, 64, Pairing::half_split}, {64, 64, Pairing::half_split}}}},
    {"two windows in reverse, of both pairings",
     {50, {{30, 18, Pairing::interleaved}, {2, 12, Pairing::half_split}}}},
    {"no window", {24, {}}},
};

}  // namespace ropewalk::testing
