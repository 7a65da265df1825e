#pragma once

#include <cstdint>

#include "ropewalk/attention/attention.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/position_ids.h"

namespace ropewalk {

// The projections of one attention layer, float32, as torch.nn.Linear keeps them: weight [out, in]
// with any strides, bias [out] or nothing (no shape).
struct AttentionWeights {
  ConstTensorView wq;      // [heads * head_dim, hidden]
  ConstTensorView wk, wv;  // [kv_heads * head_dim, hidden]
  ConstTensorView wo;      // [hidden, heads * head_dim]
  ConstTensorView bq{}, bk{}, bv{}, bo{};
};

// Self-attention in the four steps of the article:
//   1. q = x Wq^T + bq, k = x Wk^T + bk, v = x Wv^T + bv
//   2. q, k rotated by their positions
//   3. softmax(q k^T scale + bias) v over the keys that are seen
//   4. y = (...) Wo^T + bo
// What the encoding does:
//   RopeConfig: step 2, by apply_rope_by_length; its layout is the head's. The seq_len of a scaling
//   is 1 + the largest position of the sequence, whatever else is in the batch.
//   AlibiConfig: the bias of step 3, by alibi_score_slopes; the distance counts tokens, not
//   positions. The form symmetric needs a causal mask.
//   NoEncoding: nothing; without a mask the layer sees a bag of tokens.
//   SinusoidalConfig: nothing; it was added to x, once, before the model's first layer.
struct SelfAttention {
  int64_t heads = 0, kv_heads = 0, head_dim = 0;
  PositionEncoding encoding;
  AttentionWeights weights;
};

// x, y: [batch, seq, hidden] float32, any strides; y may not overlap x or a weight. Worked number:
// one head of one channel, every weight [1], no encoding, causal, x = [0, ln 3]: y = [0, s ln 3],
// s = 1 / (1 + e^(-ln 3 ln 3)) = 0.769759.
//
// `positions` is read by RopeConfig only. Of the options: scale, when 0, is the spectrum's
// softmax_scale if that is not 0, else head_dim^-0.5; alibi_slopes must be empty, for they follow
// from the encoding; tensor_layout is not used; key_mask [batch, seq].
// The projections are OpenBLAS's sgemm, with its own threads: their last bits may change with the
// number of rows, the processor and OpenBLAS's thread count. Memory: q, k, v and the output of
// step 3, whole, beside what attend needs.
// Throws invalid_argument naming the weight whose shape does not fit, unsupported for other types,
// and what make_spectrum, alibi_slopes, apply_rope and attend throw. y is written last, so that
// after an error it is as it was.
void forward(const SelfAttention& layer, const ConstTensorView& x, const PositionIds& positions,
             const TensorView& y, const AttentionOptions& options = {});

}  // namespace ropewalk
