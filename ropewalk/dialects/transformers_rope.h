#pragma once

#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/rope_rule.h"
#include "ropewalk/dialects/stated_model.h"

namespace ropewalk {

// What a config.json says of the rotation of one kind of layers, in every way of writing it:
//   transformers 4: rope_theta at the top, rope_scaling null, {} or {"rope_type" (old: "type"),
//   ...} transformers 5: rope_parameters {"rope_type", "rope_theta", ...}, or one such object for
//   each kind of layer, where null means no rotation
// Every place that states rope_theta must state the same. Throws unsupported naming a rope_type
// that is not known, malformed for names of the type that disagree. A key of a block that was not
// used becomes a warning.
// Source: standardize_rope_params of transformers' modeling_rope_utils.py.
StatedRope stated_rope(ConfigReader& config, const RopeRule& rule);

// Whether the rotation is stated for each kind of layers by its name.
bool states_each_kind(const ConfigReader& config);

}  // namespace ropewalk
