#pragma once

#include <cstdint>

#include "ropewalk/attention/attention.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// The projections of one attention layer, float32, as torch.nn.Linear keeps them: weight [out, in]
// with any strides, bias [out] or empty (null data).
struct AttentionWeights {
  ConstTensorView wq, wk, wv, wo;
  ConstTensorView bq{}, bk{}, bv{}, bo{};
};

// Self-attention in the four steps of the article:
//   1. q = x Wq^T + bq, k = x Wk^T + bk, v = x Wv^T + bv      (OpenBLAS)
//   2. q, k rotated by their positions                         (RoPE; nothing for ALiBi or none)
//   3. softmax(q k^T scale + mask + bias) v
//   4. y = (...) Wo^T + bo
struct SelfAttention {
  int64_t heads = 0, kv_heads = 0, head_dim = 0;
  PositionEncoding encoding;  // RopeConfig, AlibiConfig or NoEncoding
  AttentionWeights weights;
};

// x, y: [batch, seq, hidden] float32, any strides; y must not overlap x. The options' scale, when 0, is the
// spectrum's or head_dim^-0.5; alibi_slopes are made from the encoding.
// Throws invalid_argument naming the weight whose shape does not fit.
void forward(const SelfAttention& layer, const ConstTensorView& x, const PositionIds& positions, const TensorView& y,
             const AttentionOptions& options = {});

}  // namespace ropewalk
