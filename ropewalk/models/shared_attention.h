#pragma once

#include <optional>
#include <string>

#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/models/defaults.h"

namespace ropewalk {

// What holds for all layers.
struct SharedAttention {
  AttentionConfig config;
  int64_t window = 0, chunk = 0;
  std::optional<QueryScale> unrotated_scale;  // of layers that do not rotate
  int64_t value_dim = 0;
  double factor = 1;
  std::string scale_source;  // what an error about the softmax scale names
  bool value_is_key = false;
  int64_t first_sharing = 0;
};

// From the rule of the type and what the file says, with the evidence.
SharedAttention shared_attention(const StatedModel& stated, const ModelType& type,
                                 const Defaults& defaults, ModelEncoding& model);

}  // namespace ropewalk
