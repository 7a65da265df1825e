#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/encoding/rotary_layout.h"

namespace ropewalk {

// The same windows with pairs of another kind.
RotaryLayout with_pairing(RotaryLayout layout, Pairing pairing);

// Where channel c of a head stands in `from` when it is written as in `to`, so that pair i of one
// is pair i of the other:
//   head_to[c] = head_from[permutation[c]],   c = 0 .. head_dim - 1
// The channels that do not turn keep their order, and their places where both layouts turn the same
// channels. Scores do not change when q, k and the pairs are moved together. Worked number, 8
// channels, interleaved to half_split: 0 2 4 6 1 3 5 7. Throws as check_layout, and
// invalid_argument for layouts of other head_dims or counts of pairs.
std::vector<int64_t> permutation(const RotaryLayout& from, const RotaryLayout& to);

}  // namespace ropewalk
