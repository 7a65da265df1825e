#pragma once

#include <string>
#include <vector>

#include "cli/attend_arrays.h"
#include "cli/heads_file.h"
#include "cli/learned_numbers.h"
#include "cli/rank_options.h"
#include "ropewalk/parallel/rank_agreement.h"
#include "ropewalk/parallel/ring_attention.h"

namespace ropewalk::cli {

// What one rank of several has of q, k and v, ready for ring_attend.
class AttendShare {
 public:
  // Reads the rank's tokens, norms and rotates them. Throws as attend_arrays.
  AttendShare(const Layer& layer, const AttendInput& input, const RankOptions& how, int64_t rank,
              int64_t ranks);

  // What all ranks must have alike.
  std::vector<RankFact> facts() const { return facts_; }
  // [queries of the rank, heads, channels].
  Tensor attend(const RingExchange& exchange, int threads) const;

  const RingSequences& sequences() const { return sequences_; }
  const AttentionOptions& options() const { return scores_.options; }
  const Tensor& q() const { return q_; }
  const Tensor& k() const { return k_; }
  const Tensor& v() const { return v_; }

  // Of the whole output, which has the layout of q.
  Tensor whole() const;
  void place(const RingShard& shard, std::span<const std::byte> rows, Tensor& whole) const;

 private:
  void find_sequences(const AttendInput& input, const RankOptions& how, const Dims& q,
                      const Dims& k);
  Tensor own_output() const;
  void prepare(const Layer& layer, const AttendInput& input, int64_t rank);
  void state(const Layer& layer, const AttendInput& input, const HeadsFile& q, const HeadsFile& k,
             const HeadsFile& v);

  std::string files_;
  TensorLayout layout_ = TensorLayout::bshd;
  int64_t batch_ = 1, keys_ = 0;  // sequences of the arrays, tokens in each
  Dims out_shape_;
  RingSequences sequences_;
  LearnedNumbers learned_;
  LayerScores scores_;
  int64_t prefix_[1] = {0};
  std::vector<int64_t> positions_;
  Tensor q_, k_, v_;
  std::vector<RankFact> facts_;
};

}  // namespace ropewalk::cli
