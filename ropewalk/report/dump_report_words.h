#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/diagnose/dump_reports.h"
#include "ropewalk/diagnose/find_encoding.h"

namespace ropewalk {

// What `ropewalk diagnose` prints, lines that each end with "\n".
std::string text_of(const DumpReport& report);
std::string text_of(const ScoreReport& report);
std::string text_of(const FoundEncodings& found);
// `mine` and `reference` are what the two are called.
std::string text_of(const FoundFaults& found, const std::string& mine,
                    const std::string& reference);

// {"name": "q", "expected": "llama-3-8b, layer 0", "shape": [...], "layout": "bshd", ...}, then as
// to_json of the diagnosis.
nlohmann::ordered_json to_json(const DumpReport& report);
nlohmann::ordered_json to_json(const ScoreReport& report);

}  // namespace ropewalk
