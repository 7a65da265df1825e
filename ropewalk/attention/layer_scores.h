#pragma once

#include <span>
#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Throws unsupported naming what the layer's code does that is not computed here, or its mixer.
void check_computed(const Layer& layer);

// The options with which attend obeys the layer; `slopes` keeps what their spans show, `sinks` are
// the caller's. Throws as alibi_slopes, and invalid_argument for sinks that are missing or not
// asked for.
struct LayerScores {
  std::vector<float> slopes;
  AttentionOptions options;
};
LayerScores scores_of(const Layer& layer, std::span<const float> sinks);

}  // namespace ropewalk
