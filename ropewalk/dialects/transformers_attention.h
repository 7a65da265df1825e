#pragma once

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/stated_model.h"

namespace ropewalk {

// What a config.json says of attention, by the keys that the rule of the type names.
StatedAttention stated_attention(ConfigReader& config, const ModelType& type);

}  // namespace ropewalk
