#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/diagnose/diagnose_scores.h"

namespace ropewalk {

// What was done with the norms of q and k.
enum class ScoreNorm {
  as_layer,
  missing,
  without_weights,
  other_place,  // after the rotation for before it, or the other way round
  exchanged,    // weights of q for k, and of k for q
  of_q,         // weights of q for k too
};

// How q and k came to the product: as the layer has it, unless said.
struct ScoreTurn {
  // How often each was rotated; of dumps after the rotation, 1 leaves them as they are.
  int q_times = 1, k_times = 1;
  const RopeConfig* rope = nullptr;  // by which; null: not at all
  bool query_scale = true;           // q grew with its position, where the layer says so
  ScoreNorm norm = ScoreNorm::as_layer;
  bool heads_in_turn = false;  // query head h reads key head h mod Hkv, not h / (H / Hkv)
};

// Some queries of a dump, with all heads and keys: arrays are [batch, heads, queries, keys].
class ScoreSample {
 public:
  // `queries`: numbers of rows of the dump. The dump outlives the sample.
  ScoreSample(const ScoreDump& dump, const Layer& layer, const std::vector<int64_t>& queries);

  int64_t batch = 0, heads = 0, kv_heads = 0, keys = 0;
  std::vector<int64_t> queries, tokens;  // the row of the dump, and which token that is
  std::vector<float> found;              // the scores of the dump, as they are
  int64_t rows() const { return batch * heads * std::ssize(queries); }

  std::vector<float> products(const ScoreTurn& turn) const;  // q.k
  // sqrt(sum_c (q_c k_c)^2), and what float32 angles add: a rounding of q and k changes q.k by some
  // half steps times this.
  std::vector<float> spread(const ScoreTurn& turn) const;
  double angle_error() const { return angle_error_; }
  // What is added to the scores, whatever is hidden.
  std::vector<float> bias(AttentionOptions options) const;
  // [batch, queries, keys]: 1 where the query sees the key.
  std::vector<uint8_t> visible(const AttentionOptions& options) const;

 private:
  struct Heads {
    Tensor q, k;
  };
  Heads turned(const ScoreTurn& turn) const;
  void rotate(const ScoreTurn& turn, Heads& of) const;
  std::vector<float> scores(const Tensor& q, const Tensor& k,
                            const AttentionOptions& options) const;

  const ScoreDump& dump_;
  Layer layer_;
  Tensor q_, k_;                      // float32 [batch, queries or keys, heads, head_dim]
  Tensor q_positions_, k_positions_;  // [axes, batch, ...]
  double angle_error_ = 0;
};

}  // namespace ropewalk
