#pragma once

#include "ropewalk/attention/attention.h"

namespace ropewalk {

// What attend was given and what it gave, with options.lse.
struct AttentionForward {
  ConstTensorView q, k, v;
  ConstTensorView out;  // float32
  ConstTensorView lse;  // float32, as AttentionOptions say
};

// Where the gradients go: float32, of the shapes of q, k and v, any strides.
struct AttentionBackward {
  TensorView dq, dk, dv;
};

// The backward pass of attend with the same options, from d_out, the gradient of its output:
//   p_ij = e^(s_ij - lse_i), D_i = d_out_i . out_i, dp_ij = d_out_i . v_j,
//   dz_ij = p_ij (dp_ij - D_i) (1 - tanh^2(q_i . k_j scale / softcap)) scale,
//   dv_j = sum_i p_ij d_out_i, dq_i = sum_j dz_ij k_j, dk_j = sum_i dz_ij q_i.
// Worked number: one head of one channel, scale 1, q = [1], k = [0, ln 3], v = [0, 4], d_out = [1]:
// dv = [1/4, 3/4], dz = [-3/4, 3/4], dq = [3/4 ln 3], dk = [-3/4, 3/4].
//
// Scores are made again, block by block, never kept. What was added to them (bias, mask) and sinks
// get no gradient here. q and k as attended, so options.rotation is refused: rotate first, then
// turn dq and dk back with Direction::transpose. 16-bit tensors are converted to float32, whole;
// memory beside that: the gradients of one key head for each thread. The bits depend on nothing but
// the numbers and the instruction set. Throws as attend, naming the tensors that do not fit.
// Source: Dao 2023 (arXiv:2307.08691), section 3.1.
void attend_backward(const AttentionForward& forward, const ConstTensorView& d_out,
                     const AttentionBackward& gradients, const AttentionOptions& options = {});

}  // namespace ropewalk
