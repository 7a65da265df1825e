#pragma once

#include <optional>

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/gguf_keys.h"
#include "ropewalk/dialects/stated_model.h"

namespace ropewalk {

// With the projections absorbed key_length and value_length are those of the latent vector.
bool is_absorbed(GgufKeys& keys);

// What a GGUF says of attention, by the rule of the type. `head_dim` is that of layers without a
// window, and `model` has the sizes.
StatedAttention gguf_attention(GgufKeys& keys, const ModelType& type, const StatedModel& model,
                               std::optional<int64_t> head_dim);

}  // namespace ropewalk
