#pragma once

#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/position_ids.h"

namespace ropewalk {

// q, k and v as their projections give them: [batch, seq, heads, channels]. q may be the last of
// the tokens of k; v may have no shape.
struct ProjectedHeads {
  TensorView q, k, v{};
};

// The learned numbers of the norms of q and k, as in AttentionWeights.
struct HeadNorms {
  ConstTensorView q_norm{}, k_norm{}, q_norm_bias{}, k_norm_bias{};
  bool normed = false;  // the norm before the rotation was done
};

// Whether a layer changes q and k, or v, otherwise than by the rotation. Such heads are float32,
// their channels side by side.
bool changes_q_and_k(const Layer& layer);
bool changes_v(const Layer& layer);

// What a layer does to its heads in place, before it rotates them: multipliers, norms, clip. Throws
// invalid_argument for heads and norms that do not fit.
void before_rotation(const Layer& layer, const HeadNorms& norms, const ProjectedHeads& heads);

// And after: norms, and q by the factor of its own positions.
void after_rotation(const Layer& layer, const HeadNorms& norms, const PositionIds& positions,
                    const ProjectedHeads& heads);

// Both, and the rotation between them: then scores are softmax_scale q.k. `positions` are those of
// k; a scaling that depends on the length takes `seq_len`, or of 0 that of each sequence. Throws as
// before_rotation and apply_rope_by_length, and invalid_argument for more tokens in q than in k.
void prepare_heads(const Layer& layer, const HeadNorms& norms, const PositionIds& positions,
                   const ProjectedHeads& heads, int64_t seq_len = 0);

}  // namespace ropewalk
