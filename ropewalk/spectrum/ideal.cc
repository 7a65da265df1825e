#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/fraction.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/spectrum/turns.h"

namespace ropewalk {
namespace {

Fraction power(Fraction base, int64_t exponent) {
  Fraction result;
  for (bool first = true; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) {
      result = first ? base : result * base;
      first = false;
    }
    base = base * base;
  }
  return result;
}

// a * base, for a base given as mantissa * 2^exponent.
Scaled times_base(const Fraction& a, double base) {
  int exponent;
  const auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(base, &exponent), 53));
  exponent -= 53;
  if (exponent >= 0) return times(a, mantissa << exponent);
  const Scaled product = times(a, mantissa);
  Scaled result{product.whole >> -exponent, shifted_right(product.fraction, -exponent)};
  result.fraction.limb[0] |= product.whole << (64 + exponent);
  return result;
}

// base^(-1/root) by Newton's iteration y (1 + (1 - base y^root) / root) from the double result;
// each step doubles the correct bits.
Fraction inverse_root(double base, int64_t root) {
  // For a base near 1 the double result rounds to 1, which is no fraction: start just below.
  const double start = std::pow(base, -1.0 / static_cast<double>(root));
  Fraction y = fraction_from_double(std::min(start, 0x1.fffffffffffffp-1));
  for (int step = 0; step < 4; ++step) {
    const Scaled one = times_base(power(y, root), base);
    const bool high = one.whole > 0;
    const Fraction error = high ? one.fraction : Fraction{} - one.fraction;
    const Fraction correction = (y * error) / static_cast<uint64_t>(root);
    y = high ? y - correction : y + correction;
  }
  return y;
}

}  // namespace

Spectrum ideal_spectrum(double base, int64_t dim, int64_t count) {
  if (!(base >= 1 && base <= 0x1p60)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("base of an ideal spectrum: expected 1..2^60, found {}", base));
  }
  if (dim < 1 || dim > 1 << 24 || count < 0 || count > 1 << 24) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format(
            "ideal spectrum: expected a dim of 1..2^24 and 0..2^24 frequencies, found {} and {}",
            dim, count));
  }
  Spectrum spectrum;
  const bool even = dim % 2 == 0;
  const Fraction root = base == 1 ? Fraction{} : inverse_root(base, even ? dim / 2 : dim);
  const Fraction ratio = even ? root : root * root;
  Fraction omega;  // of frequency i; frequency 0 is one, not a fraction
  for (int64_t i = 0; i < count; ++i) {
    const bool is_one = i == 0 || base == 1;
    if (!is_one) omega = i == 1 ? ratio : omega * ratio;
    append_turns(is_one ? 1 : 0, is_one ? Fraction{} : omega, spectrum.turns);
    spectrum.inv_freq.push_back(
        is_one ? 1.0 : std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(dim)));
    spectrum.axis.push_back(0);
  }
  return spectrum;
}

}  // namespace ropewalk
