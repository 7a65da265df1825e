#pragma once

#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/models/defaults.h"

namespace ropewalk {

// What follows from what a file says, from what the row of the type says of the model, and from the
// defaults of the code that runs it: the layers' positions and attention, with their evidence.
// Throws malformed or unsupported naming the source of a value that does not fit.
void resolve(const StatedModel& stated, const ModelType& type, const Defaults& defaults,
             ModelEncoding& model);

}  // namespace ropewalk
