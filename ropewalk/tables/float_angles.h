#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/spectrum/ggml_rope.h"
#include "ropewalk/tables/angle_mode.h"

namespace ropewalk {

// What a config's angles are made of in one of the float32 modes.
struct FloatAngles {
  AngleMode mode;
  std::vector<float> inv_freq;  // [pairs], negative where the config is reversed
  std::vector<int32_t> axis;    // [pairs]
  float amplitude;              // float32(attention_scaling)
  GgmlRope ggml;
  bool reversed;
};

// Throws invalid_argument for exact and ideal, whose angles no float32 holds; unsupported for
// frequencies that are kept in f64, and in ggml_float32 for more than one position axis.
FloatAngles prepare_angles(const RopeConfig& config, AngleMode mode, int64_t seq_len);

// The angles of a token, [pairs]; `positions` has one number for each axis.
void write_angles(const FloatAngles& source, const int64_t* positions, std::span<float> angles);

// cos and sin of the angles, correctly rounded, then times the amplitude; NaN where an angle is
// infinite.
void write_cos_sin(std::span<const float> angles, float amplitude, float* cos, float* sin);

}  // namespace ropewalk
