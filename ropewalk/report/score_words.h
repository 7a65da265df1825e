#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/diagnose/diagnose_scores.h"

namespace ropewalk {

// "the scale is 1: q.k is not scaled"; of several causes all.
std::string in_words(const ScoreFinding& finding);

// What mends it, of each cause.
std::string what_to_change(const ScoreFinding& finding);

// "head 0, query 5, key 6: expected hidden, found -0.31"
std::string in_words(const FirstWrongScore& first);

// {"verdict": "fault", "residual_in_ulp": 5600000, "dtype": "f32", "queries": 64, "compared": 64,
// "wrong": 63, "first_wrong": {...}, "findings": [...]}; null: hidden.
nlohmann::ordered_json to_json(const ScoreDiagnosis& diagnosis);

}  // namespace ropewalk
