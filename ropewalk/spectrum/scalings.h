#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/spectrum/scaling_parameters.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {

// What a scaling makes; make_spectrum does the rest.
struct ScaledFrequencies {
  std::vector<float> inv_freq;  // [rotary_dim / 2]
  double attention_scaling = 1;
};

// A rope_type: the parameters it reads, and a pure function of the config and the length of the
// sequence. Constant data: there is nothing to register.
struct Scaling {
  std::span<const ScalingParameter> parameters;
  ScaledFrequencies (*make)(const RopeConfig& config, int64_t seq_len);
  // What the softmax scale is multiplied by; null: 1.
  double (*softmax_factor)(const RopeConfig& config) = nullptr;
  ScalingTraits traits = {};
};

// Each line of scalings.inc declares one scaling here. Its file defines it by its qualified name,
// which does not compile without the line; and a line without a file does not link.
namespace scaling {
#define ROPEWALK_SCALING(name, object, ...) extern const Scaling object;
#include "ropewalk/spectrum/scalings.inc"
#undef ROPEWALK_SCALING
}  // namespace scaling

// The scaling of a rope_type or an alias. Throws unsupported, listing what there is.
const Scaling& find_scaling(std::string_view rope_type);

}  // namespace ropewalk
