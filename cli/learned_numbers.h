#pragma once

#include <optional>
#include <span>

#include "cli/attend_arrays.h"
#include "ropewalk/attention/layer_scores.h"
#include "ropewalk/attention/prepare_heads.h"

namespace ropewalk::cli {

// Learned numbers of a layer, float32, from the files that the options name.
struct LearnedNumbers {
  std::optional<Tensor> q_norm, k_norm, sinks, bucket_bias;
  bool normed = false;

  HeadNorms norms() const;
  ScoreWeights scores() const;
};

// Throws invalid_argument for an option that the layer needs, or cannot use: "--sinks: ...".
LearnedNumbers read_learned_numbers(const Layer& layer, const AttendInput& input);

}  // namespace ropewalk::cli
