#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/diagnose/checkpoint_findings.h"
#include "ropewalk/diagnose/compare.h"
#include "ropewalk/diagnose/other_check.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/diagnose/traps.h"

namespace ropewalk {

// What was found, as JSON: the keys are the names of the fields.

// {"alike": false, "differences": [{"level": "config", "field": "rope_theta", "a": 10000, "b":
// 500000, "layers": [0, 1, ...]}], "rotations": [...]}
nlohmann::ordered_json to_json(const Comparison& comparison);

// {"stored_inv_freq": [...], "wrong_shapes": [...]}, and why what was not looked at:
// "stored_inv_freq_unread", "wrong_shapes_unread"; without what was not found.
nlohmann::ordered_json to_json(const CheckpointFindings& findings);

// {"bands": ["kept", ...], "attention_scaling": 1.0, "softmax_factor": 1.0, "slow_pairs": [36,
// ...]}
nlohmann::ordered_json to_json(const ScalingBands& bands);

// {"trap": "factor_disagrees", ...} or {"trap": "base_not_stated", ...}
nlohmann::ordered_json to_json(const Trap& trap);

nlohmann::ordered_json to_json(const StoredFrequencies& stored);
nlohmann::ordered_json to_json(const WrongShape& shape);

// {"layer": 0, "of": "k", "tensors": [...], "relation": "moved", ...}
nlohmann::ordered_json to_json(const PermutedRows& rows);
// {"path": ..., "alike": ..., "differences": [...], "rotations": [...], "rows": [...]}, and why
// what was not read: "unread", "rows_unread"
nlohmann::ordered_json to_json(const OtherCheck& other);

}  // namespace ropewalk
