#pragma once

#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/models/defaults.h"

namespace ropewalk {

// hidden_size, heads, kv_heads, head_dim, max_positions of the model, and as many layers as it has,
// with their evidence. Throws malformed for sizes that are missing or do not go together.
void resolve_size(const StatedModel& stated, const ModelType& type, const Defaults& defaults,
                  ModelEncoding& model);

}  // namespace ropewalk
