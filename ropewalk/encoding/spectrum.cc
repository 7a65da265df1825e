#include "ropewalk/encoding/spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {

int32_t axis_count(const Spectrum& spectrum) {
  // Nearly always all are 0, which is quicker to see than the largest.
  int32_t any = 0, last = 0;
  for (int32_t axis : spectrum.axis) any |= axis;
  if (any == 0) return 1;
  for (int32_t axis : spectrum.axis) last = std::max(last, axis);
  return last + 1;
}

void check_spectrum(const Spectrum& spectrum) {
  const auto fail = [](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "spectrum: " + why);
  };
  const size_t pairs = spectrum.inv_freq.size();
  const Turns& turns = spectrum.turns;
  if (turns.hi.size() != pairs || turns.mid.size() != pairs || turns.lo.size() != pairs ||
      spectrum.axis.size() != pairs) {
    fail(fmt::format(
        "{} inv_freq, {} turns and {} axes; make it with make_spectrum or spectrum_from_inv_freq",
        pairs, turns.hi.size(), spectrum.axis.size()));
  }
  // Every call that rotates asks: two loops that the compiler vectorises. The exponent of infinity
  // and NaN, all ones, carries into the sign.
  uint64_t carries = 0;
  uint32_t axes = 0;
  for (double inv_freq : spectrum.inv_freq) {
    const auto bits = std::bit_cast<uint64_t>(inv_freq) & ~(uint64_t{1} << 63);
    carries |= bits + (uint64_t{1} << 52);
  }
  for (int32_t axis : spectrum.axis) axes |= static_cast<uint32_t>(axis);
  const bool fine = carries >> 63 == 0 && axes <= 15;
  for (size_t i = 0; i < pairs && !fine; ++i) {
    if (!std::isfinite(spectrum.inv_freq[i])) {
      fail(
          fmt::format("inv_freq[{}]: expected a finite number, found {}", i, spectrum.inv_freq[i]));
    }
    if (spectrum.axis[i] < 0 || spectrum.axis[i] > 15) {
      fail(fmt::format("axis[{}]: expected 0..15, found {}", i, spectrum.axis[i]));
    }
  }
  if (!(spectrum.attention_scaling >= 0x1p-32 && spectrum.attention_scaling <= 0x1p32)) {
    fail(fmt::format("attention_scaling: expected a number in 2^-32..2^32, found {}",
                     spectrum.attention_scaling));
  }
}

}  // namespace ropewalk
