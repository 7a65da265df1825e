#pragma once

#include <string>

#include "cli/with_option.h"

namespace ropewalk::cli {

// Two checkpoints of one model.
struct CheckpointOptions {
  ModelOptions model;              // the first
  std::string other, other_model;  // the second, and its config where none lies beside it
  bool weights_only = false, json = false;
};

// Prints how the configs differ and how the rows of Q and K of the second lie beside those of the
// first. Throws as the readers of the first. The exit code: 1 for a fault, 3 for what cannot be
// read.
int diagnose_checkpoints(const CheckpointOptions& options);

}  // namespace ropewalk::cli
