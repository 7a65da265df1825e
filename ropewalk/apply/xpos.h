#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/rotary_layout.h"

namespace ropewalk {

// xPos: rotated queries grow with their position and rotated keys shrink, pair by pair,
//   zeta_i = (2i/d + gamma) / (1 + gamma),  i = 0 .. d/2 - 1, d = rotary_dim
//   q_i <- q_i zeta_i^((p - center) / scale_base),  k_i <- k_i / the same
// so that the score of a pair is multiplied by zeta_i^((m - n) / scale_base), whatever the center:
// it fades with the distance, the fast pairs first. The center keeps the factors near 1; half of
// the sequence's length is usual.
// Source: Sun et al., "A Length-Extrapolatable Transformer", ACL 2023; XPOS of torchscale, and
// RotaryEmbedding(scale_base=...) of flash-attention.
struct XposConfig {
  int64_t rotary_dim = 0;
  double scale_base = 512;
  double gamma = 0.4;
  int64_t center = 0;

  bool operator==(const XposConfig&) const = default;
};

enum class XposOf { query, key };

// The factor of each pair at a position, [rotary_dim / 2], each float32 rounded once. Worked
// number: rotary_dim 4, position 512: the pairs of a query times 0.2857143 and 0.64285713.
// Throws invalid_argument for an odd or missing rotary_dim, and unless scale_base and gamma are
// above 0 and finite.
std::vector<float> xpos_scales(const XposConfig& config, int64_t position, XposOf of);

// Multiplies both channels of each pair of x [batch, seq, heads, head_dim], float32, any strides,
// in place; before or after apply_rope, which it commutes with. The pairs are those of the layout's
// windows, rotary_dim/2 in all. Throws as xpos_scales, and invalid_argument or unsupported for a
// layout, shape or type that does not fit, before anything is written.
void apply_xpos(const XposConfig& config, const RotaryLayout& layout, const PositionIds& positions,
                const TensorView& x, XposOf of);

}  // namespace ropewalk
