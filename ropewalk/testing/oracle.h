#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <mpfr.h>

// What MPFR says, for tests: the exact value rounded once to the nearest float, ties to even.
namespace ropewalk::testing {

class Number {
 public:
  Number() { mpfr_init2(value, 640); }
  ~Number() { mpfr_clear(value); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_t value;
};

struct CosSin {
  float cos, sin;
};

// Rounded once to a type of so many digits, denormal below 2^least_exponent; ties to even.
inline float rounded_to_digits(const Number& exact, int digits, int least_exponent) {
  if (mpfr_zero_p(exact.value)) return 0;
  // mpfr's exponent is that of a mantissa in [1/2, 1).
  const auto exponent = std::max<long>(mpfr_get_exp(exact.value) - 1, least_exponent);
  Number places;  // of the last digit
  mpfr_mul_2si(places.value, exact.value, digits - 1 - exponent, MPFR_RNDN);
  mpfr_rint(places.value, places.value, MPFR_RNDN);
  mpfr_mul_2si(places.value, places.value, exponent - digits + 1, MPFR_RNDN);
  return mpfr_get_flt(places.value, MPFR_RNDN);
}

// cos and sin of position * inv_freq, times scale, rounded once to such a type.
inline CosSin cos_sin_in_digits(double inv_freq, int64_t position, double scale, int digits,
                                int least_exponent) {
  Number angle, cos, sin;
  mpfr_set_sj(angle.value, position, MPFR_RNDN);
  mpfr_mul_d(angle.value, angle.value, inv_freq, MPFR_RNDN);
  mpfr_sin_cos(sin.value, cos.value, angle.value, MPFR_RNDN);
  mpfr_mul_d(cos.value, cos.value, scale, MPFR_RNDN);
  mpfr_mul_d(sin.value, sin.value, scale, MPFR_RNDN);
  return {rounded_to_digits(cos, digits, least_exponent),
          rounded_to_digits(sin, digits, least_exponent)};
}

// cos and sin of `angle`, times scale. mpfr_get_flt rounds once, subnormals too.
inline CosSin cos_sin_of(const Number& angle, double scale) {
  Number cos, sin;
  mpfr_sin_cos(sin.value, cos.value, angle.value, MPFR_RNDN);
  mpfr_mul_d(cos.value, cos.value, scale, MPFR_RNDN);
  mpfr_mul_d(sin.value, sin.value, scale, MPFR_RNDN);
  return {mpfr_get_flt(cos.value, MPFR_RNDN), mpfr_get_flt(sin.value, MPFR_RNDN)};
}

// Of position * inv_freq.
inline CosSin cos_sin(double inv_freq, int64_t position, double scale = 1) {
  Number angle;
  mpfr_set_sj(angle.value, position, MPFR_RNDN);
  mpfr_mul_d(angle.value, angle.value, inv_freq, MPFR_RNDN);
  return cos_sin_of(angle, scale);
}

// Of position * base^(-2i/dim).
inline CosSin ideal_cos_sin(double base, int64_t dim, int64_t i, int64_t position,
                            double scale = 1) {
  Number angle, power, exponent;
  mpfr_set_sj(exponent.value, -2 * i, MPFR_RNDN);
  mpfr_div_si(exponent.value, exponent.value, static_cast<long>(dim), MPFR_RNDN);
  mpfr_set_d(power.value, base, MPFR_RNDN);
  mpfr_pow(power.value, power.value, exponent.value, MPFR_RNDN);
  mpfr_set_sj(angle.value, position, MPFR_RNDN);
  mpfr_mul(angle.value, angle.value, power.value, MPFR_RNDN);
  return cos_sin_of(angle, scale);
}

}  // namespace ropewalk::testing
