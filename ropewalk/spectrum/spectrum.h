#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// The frequencies of a model's rotary encoding.
//   default: inv_freq_i = 1 / rope_theta^(2i / rotary_dim), i = 0 .. rotary_dim/2 - 1
//   any other rope_type: the formula in its file, from RopeConfig::parameters and ::lists, whose
//   keys scaling_parameters() lists
// After the scaling, in this order: inv_freq_i / freq_factors_i where there is such a list; each
// pair gets its axis (once per position axis, or shared by mrope_section); rounded to
// inv_freq_dtype; negated where `reversed`.
// Worked number: rope_theta 10000, rotary_dim 4 gives inv_freq = [1, 0.01].
// Each step is rounded to float32 as in the model's own code (transformers modeling_rope_utils.py),
// so inv_freq holds the float32 numbers the model was trained with; with inv_freq_dtype f64, which
// only rope_type default has, nothing is.
//
// `seq_len` is the length of the whole sequence, prompt and cache, or 0: it is read by dynamic,
// qwen_dynamic and longrope only. Pure: there is no cache. Where those types change with the
// length, make the spectrum again; keys that were rotated with the old one must be rotated anew.
// Throws unsupported for a rope_type that is not known, invalid_argument for impossible numbers.
Spectrum make_spectrum(const RopeConfig& config, int64_t seq_len = 0);

// What the scaling multiplies the softmax scale of attention by, beside attention_scaling: 1 but
// for deepseek_yarn with mscale_all_dim, where DeepSeek-V3 (factor 40, mscale_all_dim 1)
// has 1.873850. Throws as make_spectrum.
double softmax_factor(const RopeConfig& config);

// A spectrum from any list of frequencies in radians per position, each taken as exact, all on axis
// 0.
Spectrum spectrum_from_inv_freq(std::span<const double> inv_freq);

// The frequencies base^(-2i/dim), i < count, to 192 bits: the mathematics itself, no float32 in
// between. Needs 1 <= base <= 2^60 and 1 <= dim; throws invalid_argument otherwise.
Spectrum ideal_spectrum(double base, int64_t dim, int64_t count);

// The same for a config whose scaling, if it has one, is a fixed base: default, xdrope, dynamic
// with alpha. Its inv_freq_dtype is no matter. Throws unsupported for any other.
Spectrum ideal_spectrum(const RopeConfig& config);

}  // namespace ropewalk
