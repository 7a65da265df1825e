#pragma once

#include <string>

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

// A model in a config.json, by the row of its type alone.
void read_declared(ConfigReader& config, ModelEncoding& model, const ModelType& type);

// Its size, for a reader of what else the file says.
void read_heads(ConfigReader& config, ModelEncoding& model, const ModelType& type);

// How the type encodes positions, for a list of the types: "RoPE half_split on the whole head".
std::string encoding_in_words(const ModelType& type);

}  // namespace ropewalk
