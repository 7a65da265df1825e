#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::cli {

// What diagnose is given of scores.
struct ScoreOptions {
  std::string scores, q, k, key_mask, q_norm, k_norm, bucket_bias, prefix;
  bool rotated = false, after_softmax = false, normed = false;

  bool any() const;
};

// And of all dumps.
struct DumpOptions {
  std::string positions, token_ids, layout;
  int64_t seq_len = 0;
  bool json = false, bf16 = false;
};

void add_score_options(CLI::App& app, ScoreOptions& options);

// Prints what is wrong with the scores of a layer, `subject` ("llama-3-8b, layer 0"). Throws as
// diagnose_scores and the readers. The exit code: 1 for a fault.
int diagnose_scores_of(const ScoreOptions& options, const DumpOptions& dump,
                       const ModelEncoding& model, int64_t layer);

}  // namespace ropewalk::cli
