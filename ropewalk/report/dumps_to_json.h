#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/diagnose/find_encoding.h"

namespace ropewalk {

// {"verdict": "fault", "residual_in_ulp": 5600000, "dtype": "f32", "tokens": 64, "wrong_tokens":
// 63, "first_wrong": {...}, "findings": [{"causes": [{"hypothesis": "base", "variant":
// "rope_theta", "found": 10000, "expected": 500000}], "in_words": ..., "change": ...,
// "residual_in_ulp": 0.3}]}
nlohmann::ordered_json to_json(const DumpDiagnosis& diagnosis);

// {"found": [{"rope": {...}, "pairs": {"in": "half_split", "out": ...}, "causes": [...],
// "in_words":
// ..., "models": [...]}], "dtype": "f32", "tokens": 64}
nlohmann::ordered_json to_json(const FoundEncodings& found);

// {"alike": false, "mine_not_rotated": false, "found": [{"reference": "rope, theta ...", "models":
// [...], "diagnosis": {...}}], "residual_in_ulp": ..., "dtype": ..., "tokens": ...}, and "encoding"
// where mine is not rotated
nlohmann::ordered_json to_json(const FoundFaults& found);

}  // namespace ropewalk
