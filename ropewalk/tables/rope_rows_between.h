#pragma once

#include <cstdint>

#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/spectrum.h"
#include "ropewalk/tables/rope_rows.h"

namespace ropewalk {

// What rotated the tokens of a tensor: the frequencies and the position of each token.
struct SpectrumAt {
  const Spectrum& spectrum;
  PositionIds positions;
};

// The rows that turn what `from` rotated into what `to` would have made of the same tokens, in one
// step: for a pair with the frequency w_from at position b, and w_to at position p,
//   cos, sin of p w_to - b w_from, times to.attention_scaling / from.attention_scaling
// The angle is an exact difference of exact phases; cos and sin are correctly rounded to float32
// (the ratio is a double). So keys of LongRoPE's short factors become keys of its long ones, those
// of dynamic NTK move to the base of a longer sequence, and a cache is shifted, all by apply_rope
// of these rows; what 16-bit storage had rounded is rounded once more.
// Worked number: w_from 1, w_to 0.5, position 2 of both: cos(-1) = 0.5403023, sin(-1) = -0.841471.
// With one spectrum and the same positions the rows are cos 1, sin 0.
// Throws as make_rope_rows of either, and invalid_argument for spectra of different pair counts.
RopeRows make_rope_rows_between(const SpectrumAt& from, const SpectrumAt& to, int64_t batch,
                                int64_t length);

}  // namespace ropewalk
