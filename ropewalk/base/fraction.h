#pragma once

#include <array>
#include <cstdint>

namespace ropewalk {

// A number in [0, 1) with 320 bits: limb[0] has the weight 2^-64, limb[4] 2^-320. Products are cut
// off, so each operation is low by less than 2^-320. For the few numbers per call that double
// cannot decide; not for inner loops.
struct Fraction {
  std::array<uint64_t, 5> limb{};

  bool operator==(const Fraction&) const = default;
  bool is_zero() const { return *this == Fraction{}; }
};

// 1/(2 pi) and pi/4.
inline constexpr Fraction kInverseTwoPi{{0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
                                         0x7f9458eaf7aef158, 0x6dc91b8e909374b8}};
inline constexpr Fraction kQuarterPi{{0xc90fdaa22168c234, 0xc4c6628b80dc1cd1, 0x29024e088a67cc74,
                                      0x020bbea63b139b22, 0x514a08798e3404dd}};

Fraction operator+(const Fraction& a, const Fraction& b);  // modulo 1
Fraction operator-(const Fraction& a, const Fraction& b);  // modulo 1
Fraction operator*(const Fraction& a, const Fraction& b);
Fraction operator/(const Fraction& a, uint64_t divisor);

// Whole part and fraction of a * factor.
struct Scaled {
  uint64_t whole = 0;
  Fraction fraction;
};
Scaled times(const Fraction& a, uint64_t factor);

// a / 2^bits, any bits >= 0.
Fraction shifted_right(const Fraction& a, int bits);

// A double in [0, 1), exactly (bits below 2^-320 are cut off).
Fraction fraction_from_double(double value);

// sin(x) and 1 - cos(x) for x in [0, 1), low by less than 2^-310. (1 - cos, because cos(0) = 1 is
// no fraction.)
Fraction sin_series(const Fraction& x);
Fraction one_minus_cos_series(const Fraction& x);

// A binary floating-point format within float32: digits of a normal number, and the exponent of the
// smallest one, below which numbers are denormal.
struct FloatFormat {
  int digits, least_exponent;
};
inline constexpr FloatFormat kFloat32Format{24, -126}, kBf16Format{8, -126}, kF16Format{11, -14};

// (whole + a) * scale rounded to the nearest number of the format, ties to even; scale >= 0 is
// taken exactly. Past the format's largest number the digits are rounded as if there were none.
// With a not zero, a result that cannot be told from a tie (2^-190) is rounded toward zero: where
// that can happen, for a tiny angle x, the exact value sin x lies below the tie x.
float rounded_to_float(uint64_t whole, const Fraction& a, double scale,
                       const FloatFormat& format = kFloat32Format);

}  // namespace ropewalk
