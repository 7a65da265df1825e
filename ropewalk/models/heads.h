#pragma once

#include "ropewalk/models/config_reader.h"
#include "ropewalk/models/model_type.h"

namespace ropewalk {

// hidden_size, heads, kv_heads, head_dim, max_positions and the number of layers, by any of the
// names that configs use for them.
void read_heads(ConfigReader& config, ModelEncoding& model, const ModelType& type);

// "default of Qwen3Config".
std::string default_of(const ModelType& type);

}  // namespace ropewalk
