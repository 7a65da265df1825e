#include "ropewalk/encoding/rotary_layout.h"

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {

std::string_view name(Pairing pairing) {
  return pairing == Pairing::interleaved ? "interleaved" : "half_split";
}

Pairing pairing_from_name(std::string_view text) {
  if (text == "interleaved") return Pairing::interleaved;
  if (text == "half_split") return Pairing::half_split;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("expected pairing half_split (i, i+d/2) or interleaved (2i, 2i+1), found \"{}\"",
                  escaped(text)));
}

int64_t pair_count(const RotaryLayout& layout) {
  int64_t pairs = 0;
  for (const RotaryWindow& window : layout.windows) pairs += window.dim / 2;
  return pairs;
}

void check_layout(const RotaryLayout& layout) {
  const auto fail = [](const std::string& why) { throw Error(ErrorCode::invalid_argument, why); };
  if (layout.head_dim < 1 || layout.head_dim > 65536) {
    fail(fmt::format("head_dim: expected 1..65536, found {}", layout.head_dim));
  }
  if (layout.windows.size() > kMaxWindows) {
    fail(fmt::format("rotary windows: expected at most {}, found {}", kMaxWindows,
                     layout.windows.size()));
  }
  for (size_t i = 0; i < layout.windows.size(); ++i) {
    const RotaryWindow& window = layout.windows[i];
    if (window.dim < 2 || window.dim % 2 != 0) {
      fail(fmt::format("rotary dim: expected a positive even number, found {}", window.dim));
    }
    if (window.dim > layout.head_dim || window.offset < 0 ||
        window.offset > layout.head_dim - window.dim) {
      fail(fmt::format(
          "rotary window: expected channels inside head_dim {}, found {} from channel {}",
          layout.head_dim, window.dim, window.offset));
    }
    for (size_t j = 0; j < i; ++j) {
      const RotaryWindow& other = layout.windows[j];
      if (window.offset < other.offset + other.dim && other.offset < window.offset + window.dim) {
        fail(fmt::format("rotary windows at {} and {} overlap", other.offset, window.offset));
      }
    }
  }
}

}  // namespace ropewalk
