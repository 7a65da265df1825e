#pragma once

#include <span>

#include "ropewalk/conventions/parts.h"
#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/stated_model.h"

namespace ropewalk {

// Adds to model.others what the parts say of the file's keys. The positions of the layers must be
// there.
void add_parts(ConfigReader& config, ModelEncoding& model, std::span<const Part> parts);

// The indexer of a file that states the size of its heads.
void add_stated_indexer(const StatedModel& stated, std::span<const Part> parts,
                        ModelEncoding& model);

}  // namespace ropewalk
