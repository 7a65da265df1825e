#pragma once

#include <cstddef>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/parallel/merge_attention.h"
#include "ropewalk/parallel/ring_attention.h"

namespace ropewalk {

// A block of keys and values as it travels.
struct RingBlock {
  RingShard keys;
  std::vector<std::byte> bytes;  // k [keys, Hkv, D], then v [keys, Hkv, Dv]
};

// What a rank finds as it meets blocks.
class RingMeetings {
 public:
  // Checks all, and fills out and lse as where no key is seen. Throws as ring_attend.
  RingMeetings(const RingHeads& heads, const RingSequences& sequences,
               const AttentionOptions& options, int64_t rank);

  // The rank's own keys, packed, and memory for those of another.
  RingBlock own() const;
  RingBlock empty(int64_t rank) const;

  // The queries meet a block's keys; `poke` may be called meanwhile.
  void meet(const RingBlock& block, const std::function<void()>& poke);

  // After the last block.
  void finish();

 private:
  size_t bytes_of_keys(const ConstTensorView& like, int64_t keys) const;
  void meet_sequence(const RingBlock& block, int64_t s, const std::function<void()>& poke);
  void check_rows(const ConstTensorView& view, const char* what, int64_t rows) const;

  const RingHeads& heads_;
  const RingSequences& sequences_;
  const AttentionOptions& given_;
  AttentionOptions options_;  // of each call
  int64_t rank_;
  RingShard queries_;
  Tensor own_lse_, found_, found_lse_;
  AttentionParts result_;
  double done_ = 0, all_ = 0;  // pairs, for progress
};

}  // namespace ropewalk
