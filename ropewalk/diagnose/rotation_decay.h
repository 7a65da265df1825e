#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// What is left of q.k at each distance, for q = k = (1, 1, ..., 1), divided by that at distance 0:
//   (s^2 sum_i cos(m w_i) + r) / (s^2 P + r)
// over the P pairs with frequencies w, s = attention_scaling, r = (head_dim - 2P) / 2 for the
// channels that do not turn. Positions of several axes are the same on each. Worked number: a head
// of two channels, frequency 1, distance 1: cos(1) = 0.540302. Throws as make_spectrum.
std::vector<double> rotation_decay(const RopeConfig& rope, std::span<const int64_t> distances,
                                   int64_t seq_len = 0);

}  // namespace ropewalk
