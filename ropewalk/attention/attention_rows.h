#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ropewalk/attention/attention_call.h"

namespace ropewalk {

// Rows of q, k and v of a call as the kernel reads them; rotated ones are made in memory of its
// own.
class AttentionReader {
 public:
  explicit AttentionReader(const AttentionCall& call) : call_(call) {}

  // `count` queries of a sequence from `first` on, of the heads that read head `kv_head`; valid
  // until the next call.
  AttentionRows queries(const AttentionSequence& sequence, int64_t kv_head, int64_t first,
                        int64_t count);

  // The keys first .. first + count - 1 that may be seen, and their values, of head `kv_head` and
  // those behind it; valid until the next call.
  AttentionKeys keys(const AttentionSequence& sequence, int64_t kv_head, int64_t first,
                     int64_t count);

 private:
  // Rows of some tokens of one sequence, rotated.
  struct Tokens {
    int64_t batch, first, count;
    const int64_t* list;  // null: first, first + 1, ...
    int64_t head, heads;
  };
  AttentionRows rotated(const ConstTensorView& x, const RopeRows& rows, const Tokens& tokens,
                        std::vector<std::byte>& memory);

  void find_in_pages(AttentionKeys& keys, int64_t kv_head);

  const AttentionCall& call_;
  std::vector<std::byte> q_, k_;
  std::vector<float> rows_, k_scales_, v_scales_;
  std::vector<int64_t> k_at_, v_at_;
};

}  // namespace ropewalk
