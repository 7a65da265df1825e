#pragma once

#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// rope_theta * alpha^(d / (d - 2)), the base that leaves the fastest pair as it is and slows the
// slowest by alpha. Worked number: rope_theta 10000, d 128, alpha 1000 gives 11158839.9251
// (HunYuan). Throws invalid_argument for rotary_dim 2, where there is no such base.
double ntk_base(const RopeConfig& config, double alpha);

// Throws invalid_argument unless the base is one that float32 holds.
void check_base(const RopeConfig& config, double base);

}  // namespace ropewalk
