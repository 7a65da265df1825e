#pragma once

#include <cstdint>

#include "ropewalk/attention/layer_scores.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/position_ids.h"

namespace ropewalk {

// What a layer's AttentionConfig does to heads and scores, one step at a time. Heads are float32
// [batch, seq, heads, channels], their channels side by side.

// Norms the heads in place. `weight` and `bias` have one number for each channel of a head, or for
// each channel of all heads ([heads, channels] in a row); no shape where the norm has none.
// Worked number: rms of [3, 4] without weights, eps 0: [0.848528, 1.131371].
// Throws invalid_argument naming `what` for weights that are missing, not asked for or of another
// shape.
void normalize(const Norm& norm, const TensorView& heads, const ConstTensorView& weight,
               const ConstTensorView& bias, const char* what);

// The factor of a query at `position`. Worked number: log_floor, beta 0.1, length 16384: 1.0693147
// at 20000.
double query_factor(const QueryScale& scale, int64_t position);

// q times that.
void scale_queries(const QueryScale& scale, const PositionIds& positions, const TensorView& q);

void multiply(double factor, const TensorView& heads);
void clip(double limit, const TensorView& heads);

}  // namespace ropewalk
