#pragma once

#include "ropewalk/conventions/family.h"
#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/models/declared_reader.h"

namespace ropewalk {

// The type of a name that the user gave: throws invalid_argument for one that is not known.
KnownType known_type(std::string_view name);

// The type that a config names. Throws unsupported or malformed naming what the file says, the
// nearest types there are, and what the file's keys suggest.
KnownType find_model_type(ConfigReader& config);

// Reads the model of a config of a known type, its parts too.
void read_model_type(ConfigReader& config, ModelEncoding& model, const KnownType& known);

}  // namespace ropewalk
