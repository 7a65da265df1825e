#pragma once

#include <cstdint>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// The module of the article: PositionalEncoding(d_model, dropout, max_len = 5000), forward(x) =
// dropout(x + pe[:, :length]). Differs from PyTorch's tutorial only in that every number of pe is
// correctly rounded, and nothing is stored.
struct PositionalEncoding {
  int64_t d_model = 512;
  double dropout = 0.1;    // probability that an element is dropped, in [0, 1]
  int64_t max_len = 5000;  // a longer sequence is an error that names both numbers
  SinusoidalConfig sinusoidal_config() const { return {.d_model = d_model}; }

  bool operator==(const PositionalEncoding&) const = default;
};

// Which dimension of x [.., .., d_model] is the sequence. Never guessed.
enum class SequenceAxis {
  batch_first,     // [batch, seq, d_model]
  sequence_first,  // [seq, batch, d_model]
};

// Dropout happens only in training. Element e of x (its row-major index) is kept when
// uniform_at(seed, e) >= dropout, and then multiplied by 1 / (1 - dropout): the same mask whatever
// the strides and threads. Use another seed for another call.
struct DropoutMode {
  bool training = false;
  uint64_t seed = 0;
};

// out = dropout(x + pe), f32, any strides; out may be x itself.
void forward(const PositionalEncoding& module, const ConstTensorView& x, const TensorView& out,
             SequenceAxis axis, const DropoutMode& mode = {}, const Parallel& parallel = {});

// Gradient of forward with respect to x: grad_out times the same mask and factor.
void backward(const PositionalEncoding& module, const ConstTensorView& grad_out,
              const TensorView& grad_x, SequenceAxis axis, const DropoutMode& mode = {},
              const Parallel& parallel = {});

// A learned table: out[b, s, :] = x[b, s, :] + rows[s, :] for given rows [>= seq, d_model] f32.
void add_rows(const ConstTensorView& x, const ConstTensorView& rows, const TensorView& out,
              SequenceAxis axis, const Parallel& parallel = {});

}  // namespace ropewalk
