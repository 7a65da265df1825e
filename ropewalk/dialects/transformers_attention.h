#pragma once

#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/models/model_type.h"

namespace ropewalk {

// What a config.json says of attention, by the keys that the rule of the type names.
StatedAttention stated_attention(ConfigReader& config, const ModelType& type);

}  // namespace ropewalk
