#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ropewalk {

// The 16-bit floating-point types, one number at a time: round to nearest, ties to even; denormals
// kept; a NaN stays a quiet NaN of the same sign.

inline float float_from_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t bf16_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x0040);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

inline float float_from_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t magnitude = bits & 0x7FFF;
  if (magnitude >= 0x7C00) {  // infinity, NaN (made quiet)
    const uint32_t payload = (magnitude & 0x3FF) << 13;
    return std::bit_cast<float>(sign | 0x7F800000 | payload | (payload ? 0x00400000 : 0));
  }
  if (magnitude >= 0x0400) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
  // A denormal is magnitude * 2^-24, exactly.
  const float value = static_cast<float>(magnitude) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
}

inline uint16_t f16_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) {
    return static_cast<uint16_t>(sign | 0x7E00 | ((magnitude >> 13) & 0x3FF));
  }
  if (magnitude >= 0x477FF000) {
    return static_cast<uint16_t>(sign | 0x7C00);
  }                               // >= 65520 rounds to infinity
  if (magnitude >= 0x38800000) {  // a normal f16
    const uint32_t rounded = magnitude + 0x0FFF + ((magnitude >> 13) & 1);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
  }
  // Denormal: adding 0.5 puts the last bit of the result at 2^-24, so the addition rounds.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000));
}

}  // namespace ropewalk
