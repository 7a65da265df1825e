#pragma once

#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/models/model_type.h"

namespace ropewalk {

// The size of a model in a config.json, for a reader of what else it says.
void read_heads(ConfigReader& config, ModelEncoding& model, const ModelType& type);

}  // namespace ropewalk
