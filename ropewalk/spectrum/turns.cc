#include "ropewalk/spectrum/turns.h"

#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

// Rounds to 192 bits, modulo one turn.
void append_rounded(const Fraction& turn, Turns& turns) {
  Fraction half;
  half.limb[3] = uint64_t{1} << 63;
  const Fraction rounded = turn + half;
  turns.hi.push_back(rounded.limb[0]);
  turns.mid.push_back(rounded.limb[1]);
  turns.lo.push_back(rounded.limb[2]);
}

}  // namespace

void append_turns(uint64_t whole, const Fraction& fraction, Turns& turns) {
  append_rounded(times(kInverseTwoPi, whole).fraction + kInverseTwoPi * fraction, turns);
}

void append_turns(double inv_freq, Turns& turns) {
  if (!(std::fabs(inv_freq) <= 0x1p32)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("inv_freq: expected a number of radians in -2^32..2^32, found {}", inv_freq));
  }
  const double magnitude = std::fabs(inv_freq);
  const auto whole = static_cast<uint64_t>(magnitude);
  const Fraction fraction = fraction_from_double(magnitude - static_cast<double>(whole));
  append_turns(whole, fraction, turns);
  if (inv_freq < 0) negate_last(turns);
}

void negate_last(Turns& turns) {
  uint64_t& hi = turns.hi.back();
  uint64_t& mid = turns.mid.back();
  uint64_t& lo = turns.lo.back();
  lo = ~lo + 1;
  mid = ~mid + (lo == 0);
  hi = ~hi + (lo == 0 && mid == 0);
}

}  // namespace ropewalk
