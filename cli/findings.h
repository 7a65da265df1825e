#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/diagnose/checkpoint_findings.h"
#include "ropewalk/diagnose/compare.h"

namespace ropewalk::cli {

// Whose comparison it is.
struct Compared {
  std::string a, b;
  std::optional<int64_t> layer;
};

// Prints how two models differ: a row for each difference, and the cosines between the rotations.
void print_comparison(const Comparison& comparison, const Compared& compared);

// The frequencies of both models, pair by pair, in the first layer of each kind that turns
// otherwise.
void print_pairs(const Comparison& comparison, const ModelEncoding& a, const ModelEncoding& b,
                 int64_t seq_len);
nlohmann::ordered_json pairs_json(const Comparison& comparison, const ModelEncoding& a,
                                  const ModelEncoding& b, int64_t seq_len);

// Prints what a checkpoint says otherwise than its config.
void print_findings(const CheckpointFindings& findings);

// The same as warnings, one of each kind, for commands that compute.
void warn_of_findings(const ModelEncoding& model, const std::string& path);

}  // namespace ropewalk::cli
