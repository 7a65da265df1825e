#include "ropewalk/base/fraction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ropewalk {
namespace {

using Wide = unsigned __int128;

}  // namespace

Fraction operator+(const Fraction& a, const Fraction& b) {
  Fraction sum;
  Wide carry = 0;
  for (int i = 4; i >= 0; --i) {
    carry += Wide{a.limb[i]} + b.limb[i];
    sum.limb[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  return sum;
}

Fraction operator-(const Fraction& a, const Fraction& b) {
  Fraction difference;
  uint64_t borrow = 0;
  for (int i = 4; i >= 0; --i) {
    const Wide result = Wide{a.limb[i]} - b.limb[i] - borrow;
    difference.limb[i] = static_cast<uint64_t>(result);
    borrow = (result >> 64) != 0;
  }
  return difference;
}

Fraction operator*(const Fraction& a, const Fraction& b) {
  // word[k] has the weight 2^(-64 (k + 1)); the lower half only carries.
  std::array<uint64_t, 10> word{};
  for (int i = 4; i >= 0; --i) {
    Wide carry = 0;
    for (int j = 4; j >= 0; --j) {
      carry += Wide{a.limb[i]} * b.limb[j] + word[i + j + 1];
      word[i + j + 1] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
    word[i] = static_cast<uint64_t>(carry);
  }
  Fraction product;
  for (int i = 0; i < 5; ++i) product.limb[i] = word[i];
  return product;
}

Fraction operator/(const Fraction& a, uint64_t divisor) {
  Fraction quotient;
  uint64_t remainder = 0;
  for (int i = 0; i < 5; ++i) {
    const Wide dividend = (Wide{remainder} << 64) | a.limb[i];
    quotient.limb[i] = static_cast<uint64_t>(dividend / divisor);
    remainder = static_cast<uint64_t>(dividend % divisor);
  }
  return quotient;
}

Scaled times(const Fraction& a, uint64_t factor) {
  Scaled result;
  Wide carry = 0;
  for (int i = 4; i >= 0; --i) {
    carry += Wide{a.limb[i]} * factor;
    result.fraction.limb[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  result.whole = static_cast<uint64_t>(carry);
  return result;
}

Fraction shifted_right(const Fraction& a, int bits) {
  Fraction result;
  const int words = bits / 64, rest = bits % 64;
  for (int i = 4; i >= words; --i) {
    const uint64_t low = a.limb[i - words];
    const uint64_t high = i - words > 0 ? a.limb[i - words - 1] : 0;
    result.limb[i] = rest == 0 ? low : (low >> rest) | (high << (64 - rest));
  }
  return result;
}

Fraction fraction_from_double(double value) {
  int exponent;
  const double mantissa =
      std::frexp(value, &exponent);  // value = mantissa 2^exponent, exponent <= 0
  Fraction result;
  result.limb[0] = static_cast<uint64_t>(std::ldexp(mantissa, 53)) << 11;
  return shifted_right(result, -exponent);
}

namespace {

// sum over k >= 0 of (-1)^k x^(first + 2k) / (first + 2k)!
Fraction alternating_series(const Fraction& x, int first) {
  const Fraction square = x * x;
  Fraction term = first == 1 ? x : square / 2;
  Fraction sum = term;
  for (uint64_t n = static_cast<uint64_t>(first) + 1; !term.is_zero(); n += 2) {
    term = (term * square) / (n * (n + 1));
    sum = (n - static_cast<uint64_t>(first)) / 2 % 2 == 0 ? sum - term : sum + term;
  }
  return sum;
}

}  // namespace

Fraction sin_series(const Fraction& x) { return alternating_series(x, 1); }
Fraction one_minus_cos_series(const Fraction& x) { return alternating_series(x, 2); }

float rounded_to_float(uint64_t whole, const Fraction& a, double scale, const FloatFormat& format) {
  if (scale == 0 || (whole == 0 && a.is_zero())) return 0;
  // (whole + a) * mantissa as 7 words; word 0 has the weight 2^64, word 1 the weight 1.
  int exponent;
  const auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(scale, &exponent), 53));
  exponent -= 53;
  const Scaled product = times(a, mantissa);
  const Wide integer = Wide{whole} * mantissa + product.whole;
  std::array<uint64_t, 7> word{static_cast<uint64_t>(integer >> 64),
                               static_cast<uint64_t>(integer)};
  for (int i = 0; i < 5; ++i) word[i + 2] = product.fraction.limb[i];

  int top = 0;  // index of the highest set bit, counted from the top of word 0
  while (word[top / 64] == 0) top += 64;
  top += std::countl_zero(word[top / 64]);
  const auto bits_at = [&](int from, int count) {  // `count` <= 64 bits from bit `from` on
    uint64_t bits = 0;
    for (int i = from; i < from + count; ++i) {
      bits = (bits << 1) | (i < 448 ? word[i / 64] >> (63 - i % 64) & 1 : 0);
    }
    return bits;
  };
  const int power = 127 - top + exponent;  // the value is 1.xxx * 2^power
  const int kept = format.digits - std::max(0, format.least_exponent - power);
  if (kept < 0) return 0;
  uint64_t significand = bits_at(top, kept);
  const uint64_t next = bits_at(top + kept, 1), rest = bits_at(top + kept + 1, 64),
                 more = bits_at(top + kept + 65, 64), last = bits_at(top + kept + 129, 64);
  const bool exact = a.is_zero();  // only an exact value can lie on a tie and must go to even there
  // Anything below 2^-190 of the last kept bit is noise of the cut-off products.
  const bool above_tie = (rest | more | (last >> 1)) != 0;
  if (next == 1 && (above_tie || (exact && significand % 2 == 1))) significand += 1;
  return std::ldexp(static_cast<float>(significand), power - (kept - 1));
}

}  // namespace ropewalk
