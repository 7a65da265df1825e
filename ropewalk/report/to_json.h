#pragma once

#include <nlohmann/json.hpp>

#include "ropewalk/diagnose/checkpoint_findings.h"
#include "ropewalk/diagnose/compare.h"

namespace ropewalk {

// What was found, as JSON: the keys are the names of the fields.

// {"alike": false, "differences": [{"level": "config", "field": "rope_theta", "a": 10000, "b":
// 500000, "layers": [0, 1, ...]}], "rotations": [...]}
nlohmann::ordered_json to_json(const Comparison& comparison);

// {"stored_inv_freq": [...], "wrong_shapes": [...]}, and why what was not looked at:
// "stored_inv_freq_unread", "wrong_shapes_unread"; without what was not found.
nlohmann::ordered_json to_json(const CheckpointFindings& findings);

nlohmann::ordered_json to_json(const StoredFrequencies& stored);
nlohmann::ordered_json to_json(const WrongShape& shape);

}  // namespace ropewalk
