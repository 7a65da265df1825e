#pragma once

#include <span>
#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Throws unsupported naming what the layer's code does that is not computed here, or its mixer.
void check_computed(const Layer& layer);

// Learned numbers of the scores: the caller's, where the layer has them.
struct ScoreWeights {
  std::span<const float> sinks = {};  // [heads]
  ConstTensorView bucket_bias{};      // [buckets, heads] of a BucketBiasConfig
};

// The options with which attend obeys the layer; `slopes` and `distance_bias` keep what their spans
// show, sinks are the caller's. Throws as alibi_slopes and bias_by_distance, and invalid_argument
// for weights that are missing or not asked for.
struct LayerScores {
  std::vector<float> slopes, distance_bias;
  AttentionOptions options;
};
LayerScores scores_of(const Layer& layer, const ScoreWeights& weights);

}  // namespace ropewalk
