#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/kernels/attention/attention_kernel.h"

namespace ropewalk {

// A tensor as the kernels read it: float32, aligned, [batch, seq, heads, channels].
struct AttentionOperand {
  ConstTensorView view;
  Tensor copy;  // what the view shows, where the caller's memory could not be read as it is
};

// One call of attend or attention_scores after its checks.
struct AttentionCall {
  AttentionOperand q, k, v;  // v: empty for attention_scores
  int64_t batch = 0, queries = 0, keys = 0, heads = 0, kv_heads = 0;
  float scale = 1;
  AttentionOptions options;          // its spans are read from here:
  std::vector<float> slopes, sinks;  // [heads], or none
  std::vector<float> distance_bias;  // [heads, 2 bias_reach + 1], or none
  std::vector<int64_t> prefix;       // [batch], or none
  // For each sequence the keys that the mask leaves, in order; no list where there is no mask.
  std::vector<std::vector<int64_t>> visible;

  // Which of the sequence's visible keys query i sees: those from `begin` to `end`.
  struct Seen {
    int64_t begin = 0, end = 0;
  };
  Seen seen(int64_t sequence, int64_t query) const;
};

// Throws as attention.h says. `v` is null for attention_scores.
AttentionCall checked_call(const ConstTensorView& q, const ConstTensorView& k,
                           const ConstTensorView* v, const AttentionOptions& options);

// Throws unless `out` is float32 with the shape `expected`, names no address twice and overlaps
// none of the inputs.
void check_attention_output(const TensorView& out, const char* what, const Dims& expected,
                            const ConstTensorView& q, const ConstTensorView& k,
                            const ConstTensorView* v, const AttentionOptions& options);

// Rows of one head of one sequence from token `first` on.
AttentionRows head_rows(const ConstTensorView& bshd, int64_t sequence, int64_t head, int64_t first);

// Memory that runs out, or a size that no memory has, as an Error.
template <typename Body>
void within_memory(const char* what, Body body) {
  try {
    body();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::resource_limit, std::string(what) + ": not enough memory");
  } catch (const std::length_error&) {
    throw Error(ErrorCode::resource_limit, std::string(what) + ": not enough memory");
  }
}

}  // namespace ropewalk
