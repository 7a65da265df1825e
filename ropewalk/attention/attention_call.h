#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/within_memory.h"
#include "ropewalk/base/error.h"
#include "ropewalk/kernels/attention/attention_kernel.h"

namespace ropewalk {

// The tokens of one sequence of a call.
struct AttentionSequence {
  int64_t batch = 0;                     // where its tensors begin
  int64_t first_query = 0, queries = 0;  // rows of q from there
  int64_t first_key = 0, keys = 0;
  // The numbers of its keys that may be seen at all, by token; not used where all of them are, in
  // order.
  std::vector<int64_t> order;
  bool ordered = true;  // all, in order
};

// Where the keys of a cache are, one after the other: bytes from the data of k and v to the row of
// the first head; of i8 also its scale, those of the heads `scale_stride` apart.
struct AttentionPages {
  std::vector<int64_t> k, v;
  std::vector<const float*> k_scales, v_scales;
  int64_t scale_stride = 0;
};

// One call of attend or attention_scores after its checks.
struct AttentionCall {
  ConstTensorView q, k, v;  // [batch, seq, heads, channels]; v: empty for attention_scores
  int64_t batch = 0, queries = 0, keys = 0, heads = 0, kv_heads = 0;
  float scale = 1;
  AttentionOptions options;
  std::vector<AttentionSequence> sequences;
  std::vector<int64_t> prefix;            // [sequences], or none
  const AttentionPages* pages = nullptr;  // where k and v are; null: at their strides

  int64_t group() const { return kv_heads == 0 ? 0 : heads / kv_heads; }
  // On the scale of a sequence's tokens: query number `query`, key number `key` of it.
  int64_t query_token(const AttentionSequence& sequence, int64_t query) const;
  int64_t key_token(int64_t key) const {
    return options.key_tokens.empty() ? key : options.key_tokens[static_cast<size_t>(key)];
  }
  int64_t keys_of(const AttentionSequence& sequence) const {
    return sequence.ordered ? sequence.keys : std::ssize(sequence.order);
  }

  // Which of the keys that may be seen query number `query` sees: those from `begin` to `end`.
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

// Where the results of a checked call go: out [batch, seq, heads, channels], and lse [batch, heads,
// seq] unless it has no data.
struct AttentionResults {
  TensorView out, lse;
};

// Throws as check_attention_output does for out, and for options.lse.
AttentionResults checked_results(const ConstTensorView& q, const ConstTensorView& k,
                                 const ConstTensorView& v, const TensorView& out,
                                 const AttentionOptions& options);

// Does what the call says: attention.cc.
void run_attention(const AttentionCall& call, const AttentionResults& results);

// The sequences of a checked call: attention_sequences.cc. Throws for lists that do not fit.
std::vector<AttentionSequence> attention_sequences(const AttentionCall& call);

// Throws for options whose numbers, or whose tensors, do not fit the call: attention_checks.cc.
void check_attention_options(const AttentionCall& call, const AttentionOptions& options);

// Whether an optional view was given.
template <typename View>
bool is_given(const View& view) {
  return view.data != nullptr || !view.shape.empty();
}

}  // namespace ropewalk
