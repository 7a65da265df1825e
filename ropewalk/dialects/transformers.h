#pragma once

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/rope_rule.h"
#include "ropewalk/dialects/stated_model.h"

namespace ropewalk {

// The keys that state the rotation of one kind of layers of the type, without defaults.
RopeRule rope_rule(const ModelType& type, const LayerKind& kind);

// What the config.json of transformers 4 or 5 says of a model of the type, by the keys that its row
// names. Throws malformed or unsupported naming file and key.
StatedModel stated_model(ConfigReader& config, const ModelType& type);

// Its parts, for a type whose positions are read otherwise.
StatedSize stated_size(ConfigReader& config, const ModelType& type);
StatedLatent stated_latent(ConfigReader& config, const ModelType& type);
StatedLayers stated_layers(ConfigReader& config, const LayerRule& rule);

}  // namespace ropewalk
