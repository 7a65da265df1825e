#pragma once

#include <cstdint>
#include <string>

#include "ropewalk/diagnose/layer_kinds.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Which layer or part of a model is shown, and for sequences of which length.
struct Shown {
  int64_t layer = 0;
  std::string part = {};  // in the place of a layer
  int64_t seq_len = 0;    // 0: a short one
};

// The part of that name, or what is added to its input ("vision" of "vision input"). Throws
// invalid_argument listing those that the model has.
const NamedEncoding& part_at(const ModelEncoding& model, const std::string& name);
void part_at(ModelEncoding&&, const std::string&) = delete;

// Throws as layer_at and part_at.
const PositionEncoding& encoding_shown(const ModelEncoding& model, const Shown& shown);
void encoding_shown(ModelEncoding&&, const Shown&) = delete;

// The context that the positions of what is shown count in: 0 for the patches of a picture.
int64_t context_shown(const ModelEncoding& model, const Shown& shown);

// What the scaling of what is shown does. The softmax scale is that of the layers, no matter of a
// part.
ScalingBands bands_shown(const RopeConfig& rope, const Shown& shown, int64_t context);

}  // namespace ropewalk
