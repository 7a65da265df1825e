#pragma once

#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

// Heads, their width and the number of layers, by the names that diffusers has for them.
void read_diffusion_size(ConfigReader& config, ModelEncoding& model);

}  // namespace ropewalk
