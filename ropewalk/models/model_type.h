#pragma once

#include <string>

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// The common reader.
void read_declared(ConfigReader& config, ModelEncoding& model, const ModelType& type);

// How the type encodes positions, for a list of the types: "RoPE half_split on the whole head".
std::string encoding_in_words(const ModelType& type);

}  // namespace ropewalk
