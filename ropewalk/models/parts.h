#pragma once

#include <span>

#include "ropewalk/conventions/parts.h"
#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// Adds to model.others what the parts say of the file's keys. The positions of the layers must be
// there.
void add_parts(ConfigReader& config, ModelEncoding& model, std::span<const Part> parts);

}  // namespace ropewalk
