#pragma once

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

// Reads a model of one part by the row of its type: what the row refuses, a bias or a table in the
// place of a rotation, one of the specials, or else the common reader.
void read_row(ConfigReader& config, ModelEncoding& model, const ModelType& type);

}  // namespace ropewalk
