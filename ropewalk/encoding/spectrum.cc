#include "ropewalk/encoding/spectrum.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {

int32_t axis_count(const Spectrum& spectrum) {
  int32_t last = 0;
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
  // Every call that rotates asks: no branch for each pair where all is well.
  bool fine = true;
  for (size_t i = 0; i < pairs; ++i) {
    fine &= spectrum.inv_freq[i] - spectrum.inv_freq[i] == 0;
    fine &= static_cast<uint32_t>(spectrum.axis[i]) <= 15;
  }
  for (size_t i = 0; i < pairs && !fine; ++i) {
    if (!std::isfinite(spectrum.inv_freq[i]))
      fail(fmt::format("inv_freq[{}] is {}", i, spectrum.inv_freq[i]));
    if (spectrum.axis[i] < 0 || spectrum.axis[i] > 15)
      fail(fmt::format("axis[{}] is {}, expected 0..15", i, spectrum.axis[i]));
  }
  if (!(spectrum.attention_scaling >= 0x1p-32 && spectrum.attention_scaling <= 0x1p32)) {
    fail(fmt::format("attention_scaling is {}, expected a number in 2^-32..2^32",
                     spectrum.attention_scaling));
  }
}

}  // namespace ropewalk
