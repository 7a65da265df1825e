#pragma once

#include <cmath>

// What a comparison with a reference may differ by, in one place, with the reason. The references'
// own errors are measured in the table of tools/reference/README.md; the library's share is small:
// cos and sin are correctly rounded, and a rotation rounds two products and a sum.
namespace ropewalk::testing {

// u: half an epsilon, the largest relative error of one rounding.
inline constexpr double kRounding = 0x1p-24;     // float32
inline constexpr double kRoundingBf16 = 0x1p-8;  // bf16
inline constexpr double kRoundingF16 = 0x1p-11;  // f16

// A rotation, relative to the length of the pair, beside the exact value rounded once (1 u). Ours:
// in c x - s y each product carries the rounding of c or s and its own, (|c x| + |s y|) 2 u <= 2 u
// of the pair, and the sum rounds once more: 3 u.
inline constexpr double kRotation = 4 * kRounding;

// The same beside a float32 reference: its angle is the float32 product of position and frequency,
// off by up to |angle| u; its cos and sin are within a ULP, 2 u, so that the rest is 4 u (2.2 u
// measured), and ours 3 u.
inline double rotation_float32(double angle) { return (std::abs(angle) + 8) * kRounding; }

// The same where the reference rounds cos, sin, both products and the sum to a 16-bit type: 3 of
// its roundings (1.96 measured); ours rounds once.
inline double rotation_16_bit(double angle, double rounding) {
  return std::abs(angle) * kRounding + 4 * rounding;
}

// Sinusoidal tables of float32 arithmetic (PyTorch's tutorial, fairseq, MusicGen): the frequency is
// exp(x), x = ln f carries two roundings, 2 |x| u, and exp a ULP, 2 u; the product with the
// position rounds once more; sine and cosine are within a ULP, at most 2 u.
inline double sinusoidal_float32(double angle, double frequency) {
  const double frequency_error = 2 * std::abs(std::log(frequency)) + 2;
  return (std::abs(angle) * (frequency_error + 1) + 2) * kRounding;
}

// A whole attention layer, relative to the largest |y|: float32 sums of 64 and 128 products in any
// order. transformers was measured within 4.9 u of float64; three times that for other orders.
inline constexpr double kAttention = 16 * kRounding;

// The same beside transformers' own float32 output: both may be off.
inline constexpr double kAttentionFloat32 = kAttention + 8 * kRounding;

// A whole attention layer of any class beside its own float32 output, relative to the largest |y|:
// the classes were measured within 4e-6 of float64 (most within 3e-7), and ours adds as much.
inline constexpr double kLayer = 1e-5;

// ALiBi slopes of BLOOM are float32 powers of a rounded base: within 8.7 u, relative (measured).
inline constexpr double kAlibiSlopeFloat32 = 16 * kRounding;

}  // namespace ropewalk::testing
