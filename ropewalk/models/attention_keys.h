#pragma once

#include <optional>

#include "ropewalk/models/config_reader.h"
#include "ropewalk/models/model_type.h"

namespace ropewalk {

// What the keys said, for all layers.
struct SharedAttention {
  AttentionConfig config;
  int64_t window = 0, chunk = 0;
  std::optional<QueryScale> unrotated_scale;  // of layers that do not rotate
  int64_t value_dim = 0;
  double factor = 1;
  bool value_is_key = false;
  int64_t first_sharing = 0;
};

// Reads the keys that the rule of the type names, with their evidence.
SharedAttention read_shared_attention(ConfigReader& config, ModelEncoding& model,
                                      const ModelType& type);

}  // namespace ropewalk
