#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/weights/permute_qk.h"

namespace ropewalk::cli {

// What is moved, for the words about it.
struct Permuted {
  std::string checkpoint, from, to;
  const ModelEncoding& model;
  const PermutePlan& plan;
  std::vector<RotaryLayout> layouts_from, layouts_to;
  bool folder = false;   // with the files beside the weights
  bool from_hf = false;  // --from was that word, which means halves whatever the model's form is
};

// Every tensor of q and k and what is done with it, the rest in a line.
void print_plan(const Permuted& permuted);

// What was written where.
void print_written(const Permuted& permuted, const std::string& output);

// {"checkpoint", "from", "to", "tensors": [...], "other_tensors", "files", "copied", "left", ...}
nlohmann::ordered_json plan_json(const Permuted& permuted, const std::string& output);

// What the user should know beside: the config that goes with the rows, layers that it does not
// count, parts that stay. On standard error.
void warn_of_plan(const Permuted& permuted);

}  // namespace ropewalk::cli
