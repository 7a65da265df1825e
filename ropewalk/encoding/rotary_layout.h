#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// A run of `dim` channels of the head that is rotated: dim/2 pairs.
struct RotaryWindow {
  int64_t offset = 0;
  int64_t dim = 0;
  Pairing pairing = Pairing::half_split;

  bool operator==(const RotaryWindow&) const = default;
};

constexpr int kMaxWindows = 16;

// Where the pairs are in a head of `head_dim` channels. Windows take the pairs of a Spectrum in
// order; channels in no window pass unchanged. Examples: LLaMA {128, {{0, 128, half_split}}};
// GPT-J {256, {{0, 64, interleaved}}}; ChatGLM-6B {128, {{0, 64, half_split}, {64, 64,
// half_split}}}.
struct RotaryLayout {
  int64_t head_dim = 0;
  std::vector<RotaryWindow> windows;

  bool operator==(const RotaryLayout&) const = default;
};

// Throws invalid_argument for any other text.
Pairing pairing_from_name(std::string_view text);

// Number of pairs in all windows.
int64_t pair_count(const RotaryLayout& layout);

// Throws invalid_argument unless head_dim is in 1..65536, there are at most 16 windows, and each
// has an even, positive dim, lies inside the head and overlaps no other.
void check_layout(const RotaryLayout& layout);

}  // namespace ropewalk
