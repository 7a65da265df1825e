#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/kernels/rope/rope.h"

namespace ropewalk {

// What a query may see and what is added to its score.
struct AttentionOptions {
  TensorLayout tensor_layout = TensorLayout::bshd;
  bool causal = false;          // key j is seen by query i only if j <= i + (keys - queries)
  double scale = 0;             // of q.k; 0: head_dim^-0.5
  std::span<const float> alibi_slopes = {};  // [heads]; adds slope_h * (j - i) (i counted from keys - queries)
  ConstTensorView key_mask{nullptr, DType::boolean, {}, {}};  // [batch, keys] bool or u8: 0 hides a key (padding)
  Parallel parallel;
};

// out = softmax(q k^T scale + bias + mask) v, float32, any strides. q, out [B, Sq, H, D]; k [B, Sk, Hkv, D];
// v [B, Sk, Hkv, Dv]; out [B, Sq, H, Dv]; H a multiple of Hkv (grouped-query heads: query head h reads
// head h / (H / Hkv)). The softmax subtracts the row's maximum; a query that sees no key gives zeros.
// Memory: one block of query rows by all keys per thread, never S x S for all heads.
void attend(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v, const TensorView& out,
            const AttentionOptions& options = {});

// scores[b, h, i, j] = q_i . k_j scale + bias, [B, H, Sq, Sk] float32; keys that are hidden get -infinity.
void attention_scores(const ConstTensorView& q, const ConstTensorView& k, const TensorView& scores,
                      const AttentionOptions& options = {});

}  // namespace ropewalk
