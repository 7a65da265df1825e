#pragma once

#include <cstdint>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/spectrum.h"

// A scaling is a pure function of the config and the length of the sequence. It fills inv_freq and,
// where the type has them, attention_scaling and softmax_scale; make_spectrum does the rest.
// Each line of scalings.inc declares one here. Its file defines it by its qualified name, which
// does not compile without the line; and a line without a file does not link.
namespace ropewalk::scaling {

#define ROPEWALK_SCALING(name, function) \
  Spectrum function(const RopeConfig& config, int64_t seq_len);
#include "ropewalk/spectrum/scalings.inc"
#undef ROPEWALK_SCALING

}  // namespace ropewalk::scaling
