#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/tables/table.h"

namespace ropewalk {

// How the angle of a pair, position p times frequency w, is computed. `exact` is what the rest of
// ropewalk does; the others reproduce what another program does, to compare with it or to recognise
// it. p is rounded to the nearest float32 first in every mode after `ideal`.
enum class AngleMode {
  exact,           // w as the model has it (float32), the product exact
  ideal,           // w = base^(-2i/d) with no rounding, the product exact
  hf_float32,      // float32(p w): transformers, Meta, torchtune, flash-attn; the angle's bits
  ggml_float32,    // theta_{i+1} = float32(theta_i base^(-2/d)): llama.cpp; see ggml_angles
  bf16_frequency,  // float32(p bf16(w)): inv_freq kept in bf16, as by model.bfloat16()
  bf16_position,   // bf16(bf16(p) bf16(w)): no float32 at all
  fp16,            // f16(f16(p) f16(w)): model.half(); from position 65520 on infinite
  tf32,            // float32(tf32(p) tf32(w)), tf32 with 11 significant bits, halves away from 0: a
                   // matrix product on an NVIDIA GPU
};

std::string_view name(AngleMode mode);

// Throws invalid_argument listing the names for any other text.
AngleMode angle_mode_from_name(std::string_view text);

// The float32 angle of every pair at each position, [positions, pairs].
// Worked number: in hf_float32 position 16777217 has the angle 16777216 for w = 1.
// Throws invalid_argument for exact and ideal, whose angles no float32 holds; unsupported for more
// than one position axis, for frequencies kept in f64, or in ggml_float32 for a rope_type that
// llama.cpp has not.
std::vector<float> float_angles(const RopeConfig& config, AngleMode mode,
                                std::span<const int64_t> positions, int64_t seq_len = 0);

// cos and sin of positions first .. first + rows - 1 in a mode. exact and ideal: correctly rounded,
// attention_scaling included, as make_table of a spectrum. The others: cos and sin of the float32
// angle, correctly rounded, then times float32(attention_scaling) in float32: the emulated code's
// own cos and sin may be off by one ULP more. NaN where the angle is infinite.
// Throws as float_angles and make_table; unsupported in ideal for a rope_type that does more than
// change the base.
CosSinTable make_table(const RopeConfig& config, AngleMode mode, int64_t first, int64_t rows,
                       int64_t seq_len = 0);

}  // namespace ropewalk
