#pragma once

#include <string>

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

// "family: the code of bert"
std::string code_of(const ModelType& type);

// A model whose input gets the sines of a table.
void read_sinusoidal(ConfigReader& config, ModelEncoding& model, const ModelType& type);

// A model whose positions are weights of its checkpoint: a learned table, numbers or terms of
// distances, a convolution, features of places. Where the row does not hold by a key, what only_if
// says holds instead.
void read_with_weights(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                       bool held = true);

}  // namespace ropewalk
