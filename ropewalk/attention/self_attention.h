#pragma once

#include <cstdint>

#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/weights/layer_weights.h"

namespace ropewalk {

// The learned numbers of one attention layer, float32, as torch.nn.Linear keeps them: weight [out,
// in] with any strides, bias [out]. What a layer has not has no shape. D is head_dim, V value_dim.
struct AttentionWeights {
  ConstTensorView wq;  // [heads * D, hidden]; with a latent q [heads * D, q_rank]
  ConstTensorView wk;  // [kv_heads * D, hidden]; none with a latent k and v
  ConstTensorView wv;  // [kv_heads * V, hidden]; the same
  ConstTensorView wo;  // [hidden, heads * V]
  ConstTensorView bq{}, bk{}, bv{}, bo{};
  ConstTensorView q_norm{}, k_norm{};            // [D], or [heads * D] and [kv_heads * D]
  ConstTensorView q_norm_bias{}, k_norm_bias{};  // of a layer norm
  ConstTensorView output_norm{};                 // [heads * V]
  ConstTensorView sinks{};                       // [heads]
  ConstTensorView bucket_bias{};                 // [buckets, heads]
  ConstTensorView w_gate{}, b_gate{};            // [heads * V, hidden] or [heads, hidden]
  // Latent attention, whose channels that turn are the last R of a head.
  ConstTensorView wq_a{}, bq_a{}, q_a_norm{};     // [q_rank, hidden], [q_rank], [q_rank]
  ConstTensorView wkv_a{}, bkv_a{}, kv_a_norm{};  // [kv_rank + R, hidden], ..., [kv_rank]
  ConstTensorView wkv_b{};                        // [heads * (D - R + V), kv_rank]
};

// The weights of a checkpoint's layer as views, which `weights` must outlive.
AttentionWeights views_of(const LayerWeights& weights);

// One attention layer: from the hidden states to what is added to them.
//   1. q, k, v = x Wq^T + bq, ... (or through the latent vectors), k times key_multiplier
//   2. norms, clip_qkv; q and k rotated by their positions; norms after the rotation; q by
//      query_scale
//   3. softmax(softcap(q k^T scale) + bias) v over the keys that mask, window and chunk leave, with
//      a sink
//   4. y = (output_norm(...) output_gate) Wo^T + bo
// as layer.attention says; docs of AttentionConfig. What the positions do: RopeConfig turns q and
// k (step 2), AlibiConfig and BucketBiasConfig add the bias (step 3; its distance counts tokens,
// not positions),
// SinusoidalConfig was added to x before the model's first layer.
struct SelfAttention {
  Layer layer;
  AttentionWeights weights;
};

struct SelfAttentionOptions {
  // [batch, seq] bool, u8, i32 or i64: 1 is a key, 0 hides it (padding). No shape: every key is
  // there.
  ConstTensorView key_mask{nullptr, DType::boolean, {}, {}};
  // Mask::prefix: how many tokens of the prompt all may see, [batch] or [1].
  std::span<const int64_t> prefix = {};
  Parallel parallel;
};

// The rows with which a layer turns the tokens of a step, made once for all layers with these
// positions: the length that a scaling may depend on is each sequence's own. No rows where the
// layer does not rotate. Throws as make_spectrum and make_rope_rows.
RopeRows step_rows(const PositionEncoding& encoding, const PositionIds& positions, int64_t batch,
                   int64_t length, const Parallel& parallel = {});

// x, y: [batch, seq, hidden] float32, any strides; y may not overlap x or a weight. Worked number:
// one head of one channel, every weight [1], no encoding, causal, x = [0, ln 3]: y = [0, s ln 3],
// s = 1 / (1 + e^(-ln 3 ln 3)) = 0.769759.
//
// `rows` are step_rows of the same positions; `positions` alone is read by query_scale.
// The projections are OpenBLAS's sgemm: their last bits may change with the number of rows and the
// processor, not with the threads. Memory: q, k, v and the output of step 3, whole, beside what
// attend needs, and 128 MiB for each thread, which OpenBLAS keeps.
// Throws invalid_argument naming the weight whose shape does not fit, unsupported for other types
// and for what the layer does that is not computed, and what apply_rope and attend throw. y is
// written last, so that after an error it is as it was.
void forward(const SelfAttention& self, const ConstTensorView& x, const PositionIds& positions,
             const RopeRows& rows, const TensorView& y, const SelfAttentionOptions& options = {});

// The same with rows of its own.
void forward(const SelfAttention& self, const ConstTensorView& x, const PositionIds& positions,
             const TensorView& y, const SelfAttentionOptions& options = {});

}  // namespace ropewalk
